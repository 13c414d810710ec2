// Checks of geolocations and pins.
import { expect, test } from 'vitest'
import { imageWithPins } from '../../forms/annotated-image.js'
import { pictureSize } from '../../forms/picture.js'
import { aPicture } from '../support/factories.js'
import { aControl, checkedAs } from '../support/form-values.js'

test.each([
  [{ latitude: 48.2, longitude: 16.37 }, 48.2, 16.37],
  [{ latitude: '-90', longitude: ' +180,0 ' }, -90, 180],
  [{ latitude: -0, longitude: '0.0000001' }, 0, 1e-7],
  [{ latitude: 1e-7, longitude: -1e-8, altitude: 3 }, 1e-7, 0],
  [{ latitude: 47.123456789, longitude: '-0.00000015' }, 47.1234568, -1e-7],
])('geolocation: %j', (given, latitude, longitude) => {
  expect(checkedAs('geolocation', given)).toEqual({ type: 'geolocation', latitude, longitude })
})

test.each([
  [{ latitude: 90.01, longitude: 0 }],
  [{ latitude: 0, longitude: -180.01 }],
  [{ latitude: 48.2 }],
  [{ latitude: '', longitude: '' }],
  [{ latitude: {}, longitude: [] }],
  [{ latitude: Number.NaN, longitude: '1e2' }],
  ['48.2,16.37'],
  [[48.2, 16.37]],
  [null],
])('geolocation: %j is no place', given => {
  const detail = 'It is not a place: a latitude from -90 to 90 and a longitude from -180 to 180 are needed.'
  expect(checkedAs('geolocation', given)).toEqual(['geolocation', detail])
})

test('pins are numbered as they come, and stand at hundredths of a per cent', () => {
  const annotations = [
    { x: '12.34567', y: 100, value: 'red\r\nand sore' },
    { position: 9, x: 0, y: '50,5' },
  ]
  const kept = [
    { position: 1, x: 12.35, y: 100, value: 'red\nand sore' },
    { position: 2, x: 0, y: 50.5, value: '' },
  ]
  expect(checkedAs('annotated-image', { annotations })).toEqual({ type: 'annotated-image', annotations: kept })
  expect(checkedAs('annotated-image', { annotations: kept })).toEqual({ type: 'annotated-image', annotations: kept })
})

const offPicture = 'is not on the picture: x and y are per cent of its width and height, from 0 to 100.'
const pin = { x: 1, y: 1, value: 'a' }
test.each([
  ['text', 'annotated-image', 'It is not a list of pins: {"annotations": [{"x", "y", "value"}]}.'],
  [{ annotations: {} }, 'annotated-image', 'It is not a list of pins: {"annotations": [{"x", "y", "value"}]}.'],
  [{ annotations: [pin, { x: 100.1, y: 0 }] }, 'pin', `Pin 2 ${offPicture}`],
  [{ annotations: [{ value: 'a' }] }, 'pin', `Pin 1 ${offPicture}`],
  [{ annotations: [null] }, 'pin', `Pin 1 ${offPicture}`],
  [{ annotations: [{ ...pin, value: {} }] }, 'pin', 'The text of pin 1: It is not a text.'],
  [
    { annotations: [{ ...pin, value: 'abcd' }] },
    'pin',
    'The text of pin 1: It has 4 characters; at most 3 are allowed.',
  ],
  [{ annotations: Array(101).fill(pin) }, 'too-many', 'There are 101 pins; at most 100 are allowed.'],
])('pins %j are refused', (given, code, detail) => {
  expect(checkedAs('annotated-image', given, { maxLength: 3 })).toEqual([code, detail])
})

const decoded = (url: string) => Buffer.from(url.slice(url.indexOf(',') + 1), 'base64').toString()

test('the picture with its pins is an image of its own, in which texts stay texts', () => {
  const control = aControl('image', { image: aPicture, imageDescription: 'A "body" & <more>' })
  const url = imageWithPins(control, [
    { position: 1, x: 25, y: 50, value: '</title><script>alert(1)</script> ü 🏥' },
    { position: 2, x: 100, y: 0, value: '' },
  ])
  expect(url).toMatch(/^data:image\/svg\+xml;base64,[A-Za-z\d+/]+=*$/)
  const svg = decoded(url)
  // The picture is 40 by 20.
  expect(svg).toContain('viewBox="0 0 1000 500"')
  expect(svg).toContain(`<image href="${aPicture}" width="1000" height="500"`)
  expect(svg).toContain('<title>A &#34;body&#34; &#38; &#60;more&#62;</title>')
  expect(svg).toContain('translate(250 250)')
  expect(svg).toContain('&#60;/title&#62;&#60;script&#62;alert(1)&#60;/script&#62; ü 🏥')
  expect(svg).toContain('translate(1000 0)')
  expect(svg.match(/<text [^>]*>\d<\/text>/g)).toHaveLength(2)
  expect(svg).not.toContain('<script')
})

test('pins are drawn on a picture of megabytes, and on one of unknown size', () => {
  const image = `data:image/webp;base64,${'A'.repeat(2_000_000)}`
  const svg = decoded(imageWithPins(aControl('image', { image }), [{ position: 1, x: 50, y: 50, value: 'here' }]))
  expect(svg).toContain(image)
  expect(svg).toContain('translate(500 375)')
})

const picture = (type: string, bytes: Buffer) => `data:image/${type};base64,${bytes.toString('base64')}`
const jpeg = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc4, 0, 3, 0, 0xff, 0xc2, 0, 11, 8, 0x01, 0x02, 0x03, 0x04, 3]
const svg = (attributes: string) => picture('svg+xml', Buffer.from(`<?xml version="1.0"?><svg ${attributes}></svg>`))

test.each([
  [picture('png', Buffer.from('89504e470d0a1a0a0000000d49484452000001400000012c', 'hex')), { width: 320, height: 300 }],
  [picture('gif', Buffer.from('GIF89a\x02\x01\x03\x00', 'latin1')), { width: 258, height: 3 }],
  [picture('jpeg', Buffer.from(jpeg)), { width: 772, height: 258 }],
  [svg('width="10" viewBox="0 0 40.5 20" height="5"'), { width: 40.5, height: 20 }],
  [svg(`width='30px' height='20px'`), { width: 30, height: 20 }],
  [svg('xmlns="x"'), undefined],
  [svg('viewBox="0 0 0 20"'), undefined],
  [picture('jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4])), undefined],
  [picture('jpeg', Buffer.from([0xff, 0xd8, ...Array(50).fill(0xff)])), undefined],
  [picture('png', Buffer.from('<svg>')), undefined],
  [picture('png', Buffer.from('89504e470d0a1a0a', 'hex')), undefined],
  ['data:image/png;base64,***', undefined],
  ['data:text/html;base64,AAAA', undefined],
  ['nothing', undefined],
])('the size of a picture: %s', (url, size) => {
  expect(pictureSize(url)).toEqual(size)
})
