package io.agentworkspace.engine.memory.documents.extract;

import io.agentworkspace.engine.memory.documents.extract.Block.BlockKind;
import io.agentworkspace.engine.model.document.DocumentReason.Code;
import java.util.ArrayList;
import java.util.List;
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
    private final List<String> cells = new ArrayList<>();
    private BlockKind kind = BlockKind.PARAGRAPH;
    private int level;
    private int lists;
    private int tables;
    private boolean isFirstRow;
    private String position = "line 1";

    private HtmlExtractor(BlockWriter out) {
        this.out = out;
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
        var isCell = tables > 0 && (name.equals("td") || name.equals("th"));
        if (name.equals("br")) {
            text.append(' ');
        } else if (isCell) {
            text.setLength(0);
        } else if (name.equals("table")) {
            end();
            tables++;
            isFirstRow = true;
        } else if (tables == 0 && isBlock(element)) {
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
                if (tables > 0) {
                    cells.add(text.toString().replaceAll("\\s+", " "));
                    text.setLength(0);
                }
            }
            case "tr" -> endRow();
            case "table" -> {
                endRow();
                tables = Math.max(0, tables - 1);
                text.setLength(0);
            }
            case "ul", "ol", "dl" -> {
                end();
                lists = Math.max(0, lists - 1);
            }
            default -> {
                if (tables == 0 && isBlock(element)) {
                    end();
                }
            }
        }
    }

    private void endRow() {
        var row = CsvExtractor.joined(cells);
        cells.clear();
        if (!row.isEmpty()) {
            out.add(isFirstRow ? BlockKind.HEADER : BlockKind.ROW, 0, row, position);
            isFirstRow = false;
        }
    }

    private void end() {
        if (tables == 0) {
            out.add(kind, level, text.toString(), position);
            text.setLength(0);
            kind = BlockKind.PARAGRAPH;
            level = 0;
        }
    }
}
