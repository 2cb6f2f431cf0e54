package io.agentworkspace.engine.memory.documents.extract.office;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.memory.documents.extract.BlockWriter;
import io.agentworkspace.engine.memory.documents.extract.Bounds;
import io.agentworkspace.engine.memory.documents.extract.DeclaredCharset;
import io.agentworkspace.engine.memory.documents.extract.HtmlExtractor;
import io.agentworkspace.engine.memory.documents.extract.Rejection;
import io.agentworkspace.engine.memory.documents.extract.TextDecoder;
import io.agentworkspace.engine.memory.documents.extract.ZipPackage;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.net.URI;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jsoup.Jsoup;
import org.jsoup.parser.Parser;

/** Extracts the chapters of an EPUB in the order of its spine, below its title. */
final class EpubExtractor implements ZipPackage.Elements {
    private static final String CONTAINER = "META-INF/container.xml";
    private static final Pattern MARKUP = Pattern.compile("application/xhtml\\+xml|text/html");

    /** Elements that end at once in XML, but not in HTML. */
    private static final Pattern EMPTY = Pattern.compile(
            "<(?!(?:br|hr|img|input|meta|link|col|area|base|embed|source|track|wbr)\\b)([a-zA-Z][\\w:-]{0,40})((?:\\s[^<>]{0,2000})?)/>");

    private record Item(String path, String type, boolean isContents) {}

    private final Map<String, Item> items = new HashMap<>();
    private final List<String> spine = new ArrayList<>();
    private final Map<String, String> titles = new HashMap<>();
    private final String folder;
    private String title = "";
    private String author = "";

    private EpubExtractor(String folder) {
        this.folder = folder;
    }

    static void extract(ZipPackage zip, BlockWriter out) {
        var main = new String[] {""};
        zip.read(CONTAINER, (name, reader) -> {
            if (name.equals("rootfile") && main[0].isEmpty()) {
                main[0] = ZipPackage.attribute(reader, "full-path");
            }
        });
        if (!zip.has(main[0])) {
            throw ZipPackage.damaged(CONTAINER);
        }
        var book = new EpubExtractor(main[0]);
        zip.read(main[0], book);
        book.readTitles(zip);
        book.write(zip, out);
    }

    @Override
    public void begin(String name, XMLStreamReader reader) throws XMLStreamException {
        switch (name) {
            case "title" -> title = title.isEmpty() ? reader.getElementText() : title;
            case "creator" -> author = author.isEmpty() ? reader.getElementText() : author;
            case "item" ->
                items.put(
                        ZipPackage.attribute(reader, "id"),
                        new Item(
                                resolved(folder, ZipPackage.attribute(reader, "href")),
                                ZipPackage.attribute(reader, "media-type"),
                                (" " + ZipPackage.attribute(reader, "properties") + " ").contains(" nav ")));
            case "itemref" -> spine.add(ZipPackage.attribute(reader, "idref"));
            default -> {}
        }
    }

    private static String resolved(String base, String target) {
        try {
            var path = URI.create("/" + base.replace(" ", "%20"))
                    .resolve(target.replace(" ", "%20"))
                    .getPath();
            return path == null ? "" : path.replaceFirst("^/+", "");
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** Reads the titles of chapters from the tables of contents: that of EPUB 3, and that of EPUB 2. */
    private void readTitles(ZipPackage zip) {
        for (var item : items.values()) {
            if (item.isContents()) {
                var links = Jsoup.parse(zip.text(item.path())).select("nav a[href]");
                links.forEach(link -> put(item.path(), link.attr("href"), link.text()));
            } else if (item.type().equals("application/x-dtbncx+xml")) {
                var points = Jsoup.parse(zip.text(item.path()), "", Parser.xmlParser())
                        .select("navPoint");
                points.forEach(point -> put(
                        item.path(),
                        point.select("> content").attr("src"),
                        point.select("> navLabel").text()));
            }
        }
    }

    private void put(String contents, String target, String label) {
        titles.putIfAbsent(resolved(contents, target), label);
    }

    private void write(ZipPackage zip, BlockWriter out) {
        out.add(BlockKind.HEADING, 1, title, "title");
        if (!author.isBlank()) {
            out.add(BlockKind.PARAGRAPH, 0, "By " + author, "title");
        }
        if (spine.size() > Bounds.PAGES) {
            throw new Rejection(Code.TOO_LARGE, "it has over %,d chapters; split it".formatted(Bounds.PAGES));
        }
        var isThere = false;
        for (var i = 0; i < spine.size(); i++) {
            var item = items.get(spine.get(i));
            if (item == null
                    || item.isContents()
                    || !MARKUP.matcher(item.type()).matches()) {
                continue;
            }
            var chapter = zip.bytes(item.path());
            isThere |= chapter.isPresent();
            chapter.ifPresent(file -> out.within("chapter " + item.path().replaceFirst(".*/", ""), 1, () -> {
                var html =
                        TextDecoder.decode(file, DeclaredCharset.inHead(file)).text();
                HtmlExtractor.extractPart(
                        EMPTY.matcher(html).replaceAll("<$1$2></$1>"), titles.getOrDefault(item.path(), ""), out);
            }));
        }
        if (!isThere && !spine.isEmpty()) {
            throw ZipPackage.damaged("spine");
        }
    }
}
