// Prints what Java's own parser finds in XML documents: a line for each element, see test/support/xml-readers.ts.
import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

class ReadXml {
  private static final PrintStream out = new PrintStream(new java.io.FileOutputStream(java.io.FileDescriptor.out), false);

  public static void main(String[] files) throws Exception {
    DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    for (String file : files) print(builder.parse(new File(file)).getDocumentElement(), 0);
    out.flush();
  }

  private static void print(Element element, int depth) {
    var attributes = new TreeMap<String, String>();
    for (int n = 0; n < element.getAttributes().getLength(); n++) {
      Node attribute = element.getAttributes().item(n);
      attributes.put(attribute.getNodeName(), attribute.getNodeValue());
    }
    var line = new StringBuilder(depth + " " + encoded(element.getNodeName()));
    attributes.forEach((name, value) -> line.append(' ').append(encoded(name)).append(' ').append(encoded(value)));
    var text = new StringBuilder();
    for (Node child = element.getFirstChild(); child != null; child = child.getNextSibling()) {
      if (child.getNodeType() == Node.TEXT_NODE) text.append(child.getNodeValue());
    }
    out.print(line.append(' ').append(encoded(text.toString())).append('\n'));
    for (Node child = element.getFirstChild(); child != null; child = child.getNextSibling()) {
      if (child instanceof Element) print((Element) child, depth + 1);
    }
  }

  private static String encoded(String text) {
    return "=" + Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
