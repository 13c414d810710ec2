"""Prints what Python's own parser finds in XML documents: a line for each element, see test/support/xml-readers.ts."""

import sys
from base64 import b64encode
from xml.etree import ElementTree


def encoded(text):
    return "=" + b64encode(text.encode()).decode()


def show(element, depth):
    attributes = [encoded(part) for attribute in sorted(element.attrib.items()) for part in attribute]
    text = (element.text or "") + "".join(child.tail or "" for child in element)
    print(depth, encoded(element.tag), *attributes, encoded(text))
    for child in element:
        show(child, depth + 1)


for file in sys.argv[1:]:
    show(ElementTree.parse(file).getroot(), 0)
