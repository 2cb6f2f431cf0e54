package io.agentworkspace.engine.hubs.markdown;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.commonmark.ext.gfm.tables.TableBlock;
import org.commonmark.ext.gfm.tables.TableCell;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.HtmlBlock;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.renderer.NodeRenderer;
import org.commonmark.renderer.html.HtmlNodeRendererContext;
import org.commonmark.renderer.html.HtmlWriter;

/**
 * Renders the parts of Markdown that need special HTML: headings with an address, links that are allowed, tables that
 * can be scrolled sideways.
 */
final class MarkdownPieces implements NodeRenderer {
    private static final Pattern SCHEME = Pattern.compile("^([A-Za-z][A-Za-z0-9+.-]*):");
    private static final Set<String> SCHEMES = Set.of("http", "https", "mailto");
    private static final Pattern LANGUAGE = Pattern.compile("language-[A-Za-z0-9+#-]{1,20}");

    private static final Pattern MARK = Pattern.compile("\\S+ ([A-Za-z][A-Za-z -]{0,38}[A-Za-z])");
    private static final int COLUMNS_OF_A_NARROW_TABLE = 2;
    private static final int LONGEST_CODE_IN_A_NARROW_COLUMN = 14;

    /** Where long code in a table may wrap: after a slash that is not its first character, a dot or comma; before a capital. */
    private static final Pattern BREAK = Pattern.compile("(?<=\\S[/.,])(?=[^/.,\\s])|(?<=[a-z])(?=[A-Z])");

    private final Map<Class<? extends Node>, Consumer<Node>> pieces = new LinkedHashMap<>();
    private final HtmlNodeRendererContext context;
    private final HtmlWriter html;
    private final Outline outline;
    private final Markdown.Manner manner;
    private List<String> heads = List.of();

    /** The number of the last cell in its row. */
    private int place;

    MarkdownPieces(HtmlNodeRendererContext context, Outline outline, Markdown.Manner manner) {
        this.context = context;
        this.html = context.getWriter();
        this.outline = outline;
        this.manner = manner;
        pieces.put(Heading.class, node -> heading((Heading) node));
        pieces.put(Link.class, node -> link((Link) node));
        pieces.put(Image.class, node -> image((Image) node));
        pieces.put(TableBlock.class, this::table);
        pieces.put(TableCell.class, node -> cell((TableCell) node));
        pieces.put(Code.class, node -> code((Code) node));
        pieces.put(HtmlBlock.class, node -> markup((HtmlBlock) node));
    }

    @Override
    public Set<Class<? extends Node>> getNodeTypes() {
        return pieces.keySet();
    }

    @Override
    public void render(Node node) {
        var piece = pieces.get(node.getClass());
        if (piece != null) {
            piece.accept(node);
        }
    }

    /**
     * Sets the attributes of an element. A code block keeps the class of its language, and shows the words that
     * follow the language.
     */
    static void describe(Node node, String tag, Map<String, String> attributes) {
        attributes.computeIfPresent(
                "class", (_, words) -> LANGUAGE.matcher(words).matches() ? words : null);
        if (tag.equals("pre") && node instanceof FencedCodeBlock code && code.getInfo() != null) {
            var mark = MARK.matcher(code.getInfo());
            if (mark.matches()) {
                attributes.put("data-mark", mark.group(1));
            }
        }
    }

    private void heading(Heading heading) {
        var place = outline.place(heading);
        html.line();
        html.tag("h" + place.level(), Map.of("id", place.id()));
        children(heading);
        if (place.level() > 1) {
            anchor(place.id());
        }
        html.tag("/h" + place.level());
        html.line();
    }

    private void anchor(String id) {
        html.raw(" ");
        var link = new LinkedHashMap<String, String>();
        link.put("class", "anchor");
        link.put("href", "#" + id);
        link.put("aria-label", "Link to this section");
        html.tag("a", link);
        html.text("#");
        html.tag("/a");
    }

    private void link(Link link) {
        var closing = open(link.getDestination());
        children(link);
        html.tag(closing);
    }

    /**
     * Shows pictures of this server in our own documents. No others are loaded, so that other servers do not learn
     * who reads the page.
     */
    private void image(Image image) {
        var words = PlainText.of(image);
        var target = target(image.getDestination());
        if (manner.pictures() && target.isPresent() && !target.get().elsewhere()) {
            picture(image, target.get().href(), words);
            return;
        }
        var placeholder = "[picture: %s]".formatted(words.isEmpty() ? "without a description" : words);
        if (inLink(image)) {
            html.text(placeholder);
            return;
        }
        var closing = open(image.getDestination());
        html.text(placeholder);
        html.tag(closing);
    }

    /** A picture leads to itself, since a narrow window shows it too small. */
    private void picture(Image image, String address, String words) {
        var closing = inLink(image) ? "" : open(image.getDestination());
        html.tag("img", Map.of("src", address, "alt", words), true);
        if (!closing.isEmpty()) {
            html.tag(closing);
        }
    }

    private static boolean inLink(Node node) {
        for (var around = node.getParent(); around != null; around = around.getParent()) {
            if (around instanceof Link || around instanceof Image) {
                return true;
            }
        }
        return false;
    }

    private record LinkTarget(String href, boolean elsewhere) {}

    /** Begins a link, or a text with the refused address if the link is not allowed. Returns the tag that ends it. */
    private String open(String destination) {
        var attributes = new LinkedHashMap<String, String>();
        var target = target(destination);
        if (target.isEmpty()) {
            attributes.put("class", "unlinked");
            attributes.put("title", "no link: " + destination);
            html.tag("span", attributes);
            return "/span";
        }
        attributes.put("href", target.get().href());
        if (target.get().elsewhere()) {
            attributes.put("rel", manner.rel());
        }
        html.tag("a", attributes);
        return "/a";
    }

    /**
     * Returns the allowed target of a link. Browsers ignore control characters in schemes, and treat a backslash as a
     * slash.
     */
    private Optional<LinkTarget> target(String destination) {
        var url = destination.strip();
        if (url.isEmpty() || url.startsWith("//") || url.chars().anyMatch(c -> c < ' ' || c == 0x7F || c == '\\')) {
            return Optional.empty();
        }
        var scheme = SCHEME.matcher(url);
        if (!scheme.find()) {
            return manner.local().apply(url).map(address -> new LinkTarget(address, false));
        }
        return SCHEMES.contains(scheme.group(1).toLowerCase(Locale.ROOT))
                ? Optional.of(new LinkTarget(url, true))
                : Optional.empty();
    }

    /** Marks tables with many columns, or with long code in the first: on a narrow screen each row becomes a list. */
    private void table(Node table) {
        heads = heads(table);
        html.line();
        html.raw(
                heads.size() > COLUMNS_OF_A_NARROW_TABLE || beginsWithLongCode(table)
                        ? "<div class=\"scroll\"><table class=\"many\">"
                        : "<div class=\"scroll\"><table>");
        children(table);
        html.raw("</table></div>");
        html.line();
    }

    private static List<String> heads(Node table) {
        var heads = new ArrayList<String>();
        for (var cell = table.getFirstChild().getFirstChild().getFirstChild(); cell != null; cell = cell.getNext()) {
            heads.add(PlainText.of(cell));
        }
        return heads;
    }

    private static boolean beginsWithLongCode(Node table) {
        for (var row = table.getLastChild().getFirstChild(); row != null; row = row.getNext()) {
            if (row.getFirstChild().getFirstChild() instanceof Code code
                    && code.getLiteral().length() > LONGEST_CODE_IN_A_NARROW_COLUMN) {
                return true;
            }
        }
        return false;
    }

    private void code(Code code) {
        html.tag("code");
        if (code.getParent() instanceof TableCell) {
            var separator = "";
            for (var part : BREAK.split(code.getLiteral(), -1)) {
                html.raw(separator);
                html.text(part);
                separator = "<wbr>";
            }
        } else {
            html.text(code.getLiteral());
        }
        html.tag("/code");
    }

    /** Renders a cell. An empty cell is never a heading. */
    private void cell(TableCell cell) {
        if (cell.isHeader() && cell.getFirstChild() != null) {
            html.tag("th", Map.of("scope", "col"));
            children(cell);
            html.tag("/th");
            return;
        }
        place = cell.getPrevious() == null ? 0 : place + 1;
        var head = cell.isHeader() ? "" : heads.get(place);
        html.tag("td", head.isEmpty() ? Map.of() : Map.of("data-head", head));
        children(cell);
        html.tag("/td");
    }

    private void markup(HtmlBlock block) {
        var text = block.getLiteral().strip();
        var comment = text.startsWith("<!--") && text.indexOf("-->") == text.length() - "-->".length();
        if (comment && !manner.comments()) {
            return;
        }
        html.line();
        html.tag("p");
        html.text(block.getLiteral());
        html.tag("/p");
        html.line();
    }

    private void children(Node parent) {
        for (var node = parent.getFirstChild(); node != null; node = node.getNext()) {
            context.render(node);
        }
    }
}
