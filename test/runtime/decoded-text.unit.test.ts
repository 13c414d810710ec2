// Decoded texts.
import { expect, test } from 'vitest'
import { decodeText, NotText } from '../../runtime/rows/decoded-text.js'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

test.each<[string, Buffer, string | undefined, string]>([
  ['UTF-8 without a content type', Buffer.from('Zoë'), undefined, 'Zoë'],
  ['UTF-8 where none is named', Buffer.from('Zoë'), 'application/json', 'Zoë'],
  ['ISO-8859-1', latin1('Zo\xeb'), 'text/plain; charset=ISO-8859-1', 'Zoë'],
  ['a charset in quotes and capitals', latin1('Zo\xeb'), 'application/json; Charset="ISO-8859-1"', 'Zoë'],
  ['windows-1252', latin1('\x80 \x93Zo\xeb\x94'), 'text/csv; charset=windows-1252', '€ “Zoë”'],
  ['ISO-8859-15', latin1('\xa4'), 'text/csv; charset=iso-8859-15', '€'],
  ['Shift_JIS', Buffer.from([0x93, 0xfa, 0x96, 0x7b]), 'text/plain; charset=Shift_JIS', '日本'],
  ['a byte order mark of UTF-8, which is no part of the text', Buffer.from('\ufeff{}'), 'application/json', '{}'],
  ['a byte order mark, whatever charset is named', Buffer.from('\ufeffZoë'), 'text/plain; charset=latin1', 'Zoë'],
  ['UTF-16 with its mark', utf16('Zoë'), 'text/plain', 'Zoë'],
  ['big-endian UTF-16 with its mark', utf16('Zoë').swap16(), 'application/json', 'Zoë'],
  ['UTF-16 by its name', utf16('Zoë').subarray(2), 'text/plain; charset=utf-16le', 'Zoë'],
  [
    'the charset of an XML declaration',
    latin1('<?xml version="1.0" encoding="ISO-8859-1"?><a>\xeb</a>'),
    'application/xml',
    '<?xml version="1.0" encoding="ISO-8859-1"?><a>ë</a>',
  ],
  ['an image that is XML', Buffer.from('<svg/>'), 'image/svg+xml', '<svg/>'],
  ['a text of an unknown type', Buffer.from('a;b'), 'application/octet-stream', 'a;b'],
  ['a content type that is none', Buffer.from('Zoë'), 'nonsense', 'Zoë'],
  ['nothing', Buffer.alloc(0), 'application/json', ''],
])('%s is decoded', (_, bytes, contentType, text) => expect(decodeText(bytes, contentType)).toBe(text))

test.each<[string, Buffer, string | undefined, string]>([
  ['a PDF', Buffer.from('%PDF-1.7'), 'application/pdf', 'application/pdf is no text'],
  ['a PDF of no type', Buffer.from('%PDF-1.7'), undefined, 'its bytes are no text'],
  ['a picture', Buffer.from('GIF89a'), 'image/gif; x=y', 'image/gif is no text'],
  ['binary data of no type', Buffer.from([1, 2, 3]), 'application/octet-stream', 'its bytes are no text'],
  ['Latin-1 that says nothing', latin1('Zo\xeb'), 'application/json', 'its bytes are not in the charset utf-8'],
  ['a text that breaks off', utf16('Z').subarray(0, 3), 'text/plain', 'its bytes are not in the charset utf-16le'],
  ['half a character', utf16('\ud800'), 'text/plain', 'its bytes are not in the charset utf-16le'],
  ['a charset of nobody', Buffer.from('a'), 'text/plain; charset=x-nobodys', 'the charset x-nobodys is unknown'],
  ['a charset that is no word', Buffer.from('a'), 'text/plain; charset="<b>"', 'the charset that it names is unknown'],
])('%s is refused', (_, bytes, contentType, why) => {
  expect(() => decodeText(bytes, contentType)).toThrow(new NotText(why))
})
