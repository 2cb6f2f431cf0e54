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
 * Markdown (CommonMark, with tables) as HTML that is safe to show, whoever wrote it: markup in it is text, pictures from
 * elsewhere are links, and links lead only to the web, to mail, and to what there is on this server.
 */
public final class Markdown {
    /** A longer text is shown as it is written, in characters. */
    static final int MAX = 128 * 1024;

    private static final int MAX_NESTING = 32;
    private static final int MAX_MARKS = 1_000;

    /** Of the squares of the marks in each paragraph, which is about what they cost: some tens of milliseconds. */
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
     * @param local the address of what a link without a scheme leads to; empty for what cannot be seen here
     * @param rel what links that lead elsewhere say of that
     * @param prefix before the ids of headings, so that none is one of the page's own
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

    /** For what we wrote ourselves. */
    public static Markdown ours(Function<String, Optional<String>> local) {
        return new Markdown(new Manner(local, "noopener", "", 1, false, true));
    }

    /** For what may come from anybody: nothing that is written remains unseen. */
    public static Markdown anybodys(Function<String, Optional<String>> local) {
        return new Markdown(new Manner(local, "noopener nofollow noreferrer", PREFIX, 2, true, false));
    }

    /** What the ids of headings begin with in what may come from anybody. */
    public static final String PREFIX = "text-";

    /** @param sections in order, each with what is written below its heading */
    public record Rendered(String html, List<Section> sections) {}

    /**
     * @param level of the heading as it is shown, 1 to 6; 0 for what stands before the first one
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
        } catch (StackOverflowError e) { // Emphasis can be nested as deep as the text is long.
            return asWritten(markdown);
        }
    }

    /**
     * Whether it would take far longer to read than it is long: very many brackets or tags in one paragraph, each of which is
     * looked for an end of; or tables of many columns and short rows, which are filled up.
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

    /** How headings are spelled in links: in lower case, without punctuation, with hyphens for spaces. */
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
