package io.agentworkspace.engine.hubs.markdown;

import com.samskivert.mustache.Escapers;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.Heading;
import org.commonmark.node.Node;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/**
 * Renders Markdown (CommonMark, with tables) as HTML that is safe to show, even if its author is not trusted. Markup
 * in it becomes text, and pictures from elsewhere become links. Links lead only to the web, to mail, and to existing
 * addresses on this server.
 */
public final class Markdown {
    /** The maximum number of characters. A longer text is shown unrendered. */
    static final int MAX = 128 * 1024;

    private static final int MAX_NESTING = 32;
    private static final int MAX_MARKS = 1_000;

    /**
     * The limit on the sum over all paragraphs of the square of the number of marks. That is roughly proportional to
     * the time: some tens of milliseconds.
     */
    private static final int MAX_WORK = 8 * MAX_MARKS * MAX_MARKS;

    private static final int MAX_CELLS = 50_000;
    private static final List<Extension> TABLES = List.of(TablesExtension.create());
    private static final Parser PARSER =
            Parser.builder().extensions(TABLES).maxOpenBlockParsers(MAX_NESTING).build();

    private final Manner manner;

    private Markdown(Manner manner) {
        this.manner = manner;
    }

    /**
     * @param local the address for a link without a scheme; empty if it has no page here
     * @param rel the {@code rel} attribute of links to other sites
     * @param prefix the beginning of the ids of headings, so that none equals one of the page's own
     * @param top the level of the highest headings
     * @param comments whether comments are shown
     * @param pictures whether pictures of this server are shown
     */
    record Manner(
            Function<String, Optional<String>> local,
            String rel,
            String prefix,
            int top,
            boolean comments,
            boolean pictures) {}

    /** Returns a renderer for our own texts. */
    public static Markdown ours(Function<String, Optional<String>> local) {
        return new Markdown(new Manner(local, "noopener", "", 1, false, true));
    }

    /** Returns a renderer for texts from anyone. It hides nothing of what is written. */
    public static Markdown anybodys(Function<String, Optional<String>> local) {
        return new Markdown(new Manner(local, "noopener nofollow noreferrer", PREFIX, 2, true, false));
    }

    /** The beginning of the ids of headings in texts from anyone. */
    public static final String PREFIX = "text-";

    /** @param sections in order, each with the text below its heading */
    public record Rendered(String html, List<Section> sections) {}

    /**
     * @param level of the heading as it is shown, 1 to 6; 0 for the text before the first one
     * @param id of the heading; empty before the first
     * @param text without markup, up to the next heading
     */
    public record Section(int level, String id, String title, String text) {}

    public Rendered render(String markdown) {
        if (markdown.length() > MAX || isCostly(markdown)) {
            return asWritten(markdown);
        }
        try {
            var document = PARSER.parse(markdown);
            var outline = new Outline(document, manner.prefix(), manner.top());
            return new Rendered(renderer(outline).render(document), sections(document, outline));
        } catch (StackOverflowError e) { // Emphasis can be nested as deeply as the text is long.
            return asWritten(markdown);
        }
    }

    /**
     * Returns whether rendering would take far longer than the text's length suggests. Two things are costly: very
     * many brackets or tags in one paragraph, since the parser looks for the end of each; and tables of many columns
     * with short rows, which are filled up.
     */
    private static boolean isCostly(String markdown) {
        var marks = 0L;
        var work = 0L;
        var width = 0L;
        var cells = 0L;
        for (var line : markdown.lines().toList()) {
            if (line.isBlank()) {
                work += marks * marks;
                marks = 0;
                width = 0;
            }
            marks += line.chars().filter(c -> c == '[' || c == ']' || c == '<').count();
            width = Math.max(width, line.chars().filter(c -> c == '|').count());
            cells += width;
            if (marks > MAX_MARKS || work > MAX_WORK || cells > MAX_CELLS) {
                return true;
            }
        }
        return false;
    }

    private static Rendered asWritten(String markdown) {
        return new Rendered(
                "<pre>%s</pre>\n".formatted(Escapers.HTML.escape(markdown)), List.of(new Section(0, "", "", markdown)));
    }

    private HtmlRenderer renderer(Outline outline) {
        return HtmlRenderer.builder()
                .escapeHtml(true)
                .sanitizeUrls(true)
                .nodeRendererFactory(context -> new MarkdownPieces(context, outline, manner))
                .attributeProviderFactory(_ -> MarkdownPieces::describe)
                .extensions(TABLES)
                .build();
    }

    private static List<Section> sections(Node document, Outline outline) {
        var sections = new ArrayList<Section>();
        var before = new Section(0, "", "", "");
        var text = new StringBuilder();
        for (var node = document.getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading heading) {
                sections.add(with(before, text));
                var place = outline.place(heading);
                before = new Section(place.level(), place.id(), PlainText.of(heading), "");
                text.setLength(0);
            } else {
                text.append(PlainText.of(node)).append(' ');
            }
        }
        sections.add(with(before, text));
        return sections.stream()
                .filter(section -> section.level() > 0 || !section.text().isEmpty())
                .toList();
    }

    private static Section with(Section section, StringBuilder text) {
        return new Section(
                section.level(),
                section.id(),
                section.title(),
                text.toString().strip().replaceAll("\\s+", " "));
    }

    /** Returns a heading as spelled in links: in lower case, without punctuation, with hyphens for spaces. */
    public static String slug(String title) {
        IntPredicate kept = c -> Character.isLetterOrDigit(c) || c == '_' || c == '-' || c == ' ';
        var slug = new StringBuilder();
        title.strip()
                .codePoints()
                .map(Character::toLowerCase)
                .filter(kept)
                .limit(80)
                .forEach(slug::appendCodePoint);
        return slug.isEmpty() ? "section" : slug.toString().replace(' ', '-');
    }
}
