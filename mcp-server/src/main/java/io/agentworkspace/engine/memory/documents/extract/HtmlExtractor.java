package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.util.Set;
import java.util.regex.Pattern;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.Node;
import org.jsoup.nodes.TextNode;
import org.jsoup.parser.Parser;
import org.jsoup.select.NodeFilter;

/** Extracts HTML as a reader sees it: without scripts, styles and hidden content. */
public final class HtmlExtractor implements NodeFilter {
    private static final Set<String> UNSEEN = Set.of(
            "script", "style", "template", "noscript", "svg", "math", "object", "iframe", "canvas", "select", "head");
    private static final Set<String> ITEMS = Set.of("li", "dt", "dd");
    private static final Pattern HIDDEN = Pattern.compile(
            "(display\\s*:\\s*none|visibility\\s*:\\s*hidden|font-size\\s*:\\s*0)", Pattern.CASE_INSENSITIVE);

    private final BlockWriter out;
    private final StringBuilder text = new StringBuilder();
    private final HtmlTables tables;
    private BlockKind kind = BlockKind.PARAGRAPH;
    private int level;
    private int lists;
    private String position = "line 1";

    private HtmlExtractor(BlockWriter out) {
        this.out = out;
        this.tables = new HtmlTables(out);
    }

    public static void extract(String html, BlockWriter out) {
        var document = parsed(html);
        var title = document.title();
        if (!title.isBlank() && document.selectFirst("h1") == null) {
            out.add(BlockKind.HEADING, 1, title, "line 1");
        }
        write(document, out);
    }

    /**
     * Extracts a part of a document, such as a chapter or the text of a mail, whose own title is of no interest.
     *
     * @param title the heading if it has none; may be empty
     */
    public static void extractPart(String html, String title, BlockWriter out) {
        var document = parsed(html);
        if (!title.isBlank() && document.selectFirst("h1, h2, h3, h4, h5, h6") == null) {
            out.add(BlockKind.HEADING, 1, title, "line 1");
        }
        write(document, out);
    }

    private static Document parsed(String html) {
        var parser = Parser.htmlParser().setTrackPosition(true).setTrackErrors(0);
        parser.setMaxDepth(Bounds.HTML_DEPTH);
        var document = parser.parseInput(html, "");
        if (depth(document) >= Bounds.HTML_DEPTH - 1) {
            throw new Rejection(
                    Code.DAMAGED, "its elements are nested deeper than %d levels".formatted(Bounds.HTML_DEPTH));
        }
        return document;
    }

    private static void write(Document document, BlockWriter out) {
        var extractor = new HtmlExtractor(out);
        document.body().filter(extractor);
        extractor.end();
    }

    private static int depth(Document document) {
        var deepest = new int[1];
        document.traverse((_, depth) -> deepest[0] = Math.max(deepest[0], depth));
        return deepest[0];
    }

    @Override
    public FilterResult head(Node node, int depth) {
        switch (node) {
            case TextNode words -> text.append(words.getWholeText());
            case Element element -> {
                if (isUnseen(element)) {
                    return FilterResult.SKIP_ENTIRELY;
                }
                begin(element);
            }
            default -> {}
        }
        return FilterResult.CONTINUE;
    }

    private static boolean isUnseen(Element element) {
        return UNSEEN.contains(element.normalName())
                || element.hasAttr("hidden")
                || HIDDEN.matcher(element.attr("style")).find();
    }

    private void begin(Element element) {
        var name = element.normalName();
        var isCell = tables.isOpen() && (name.equals("td") || name.equals("th"));
        if (name.equals("br")) {
            text.append(' ');
        } else if (isCell || tables.isOpen() && name.equals("caption")) {
            text.setLength(0);
        } else if (name.equals("table")) {
            end();
            tables.begin(text.toString());
            text.setLength(0);
        } else if (!tables.isOpen() && isBlock(element)) {
            end();
            kind = kind(name);
            level = kind == BlockKind.HEADING ? name.charAt(1) - '0' : kind == BlockKind.ITEM ? Math.max(1, lists) : 0;
        }
        if (name.equals("ul") || name.equals("ol") || name.equals("dl")) {
            lists++;
        }
        if (isCell || isBlock(element) || text.toString().isBlank()) {
            position = "line " + element.sourceRange().start().lineNumber();
        }
    }

    private static boolean isBlock(Element element) {
        return element.isBlock() || ITEMS.contains(element.normalName());
    }

    private static BlockKind kind(String name) {
        return name.matches("h[1-6]")
                ? BlockKind.HEADING
                : ITEMS.contains(name) ? BlockKind.ITEM : name.equals("pre") ? BlockKind.CODE : BlockKind.PARAGRAPH;
    }

    @Override
    public FilterResult tail(Node node, int depth) {
        if (node instanceof Element element) {
            end(element);
        }
        return FilterResult.CONTINUE;
    }

    private void end(Element element) {
        var name = element.normalName();
        switch (name) {
            case "td", "th" -> {
                if (tables.isOpen()) {
                    tables.endCell(said());
                }
            }
            case "caption" -> {
                if (tables.isOpen()) {
                    tables.caption(said(), position);
                }
            }
            case "tr" -> {
                if (tables.isOpen()) {
                    tables.endRow(position);
                }
            }
            case "table" -> {
                text.setLength(0);
                text.append(tables.end(position));
            }
            case "ul", "ol", "dl" -> {
                end();
                lists = Math.max(0, lists - 1);
            }
            default -> {
                if (!tables.isOpen() && isBlock(element)) {
                    end();
                }
            }
        }
    }

    private String said() {
        var said = text.toString().replaceAll("\\s+", " ");
        text.setLength(0);
        return said;
    }

    private void end() {
        if (!tables.isOpen()) {
            out.add(kind, level, text.toString(), position);
            text.setLength(0);
            kind = BlockKind.PARAGRAPH;
            level = 0;
        }
    }
}
