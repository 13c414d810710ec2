// Fetches the next piece of a sequence while the current one is being processed.

/**
 * Creates a reader that fetches pieces by their place in a sequence. Call `begin` for the next piece before you process
 * the current one. If that fetch fails, the error surfaces when `at` asks for the piece.
 */
export function prefetched<Place, Piece>(fetch: (place: Place) => Promise<Piece>) {
  let ahead: { place: Place; piece: Promise<Piece> } | undefined
  return {
    /**
     * Returns the piece at a place, fetching it unless `begin` has. A piece that was begun for another place is
     * dropped.
     */
    at(place: Place): Promise<Piece> {
      const piece = ahead?.place === place ? ahead.piece : fetch(place)
      ahead = undefined
      return piece
    },
    begin(place: Place): void {
      const piece = fetch(place)
      piece.catch(() => undefined)
      ahead = { place, piece }
    },
  }
}
