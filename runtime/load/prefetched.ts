// Reads a sequence of pieces one ahead of its consumer.

/**
 * Fetches pieces by their place in a sequence. `begin` fetches one while its caller works on the piece before; a failure of
 * that fetch counts when `at` asks for the piece.
 */
export function prefetched<Place, Piece>(fetch: (place: Place) => Promise<Piece>) {
  let ahead: { place: Place; piece: Promise<Piece> } | undefined
  return {
    /** The piece at a place, which was begun or is fetched now. A piece that was begun for another place is dropped. */
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
