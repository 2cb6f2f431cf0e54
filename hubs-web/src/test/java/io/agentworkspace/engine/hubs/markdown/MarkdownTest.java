package io.agentworkspace.engine.hubs.markdown;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class MarkdownTest {
    /** The tags that the renderer itself writes, with no attribute but these. */
    private static final Pattern OURS = Pattern.compile(
            "</?(p|blockquote|h[1-6]|a|span|div|table|thead|tbody|tr|th|td|pre|code|em|strong|ul|ol|li|hr /|br /|wbr)"
                    + "( (id|class|href|rel|aria-label|scope|title|data-head|data-mark)=\"[^\"<>]*\")*>");

    private static final Pattern ADDRESS = Pattern.compile("href=\"(https?://|mailto:|/known#?|#text-)[^\"]*\"");

    private static final Markdown ANYBODYS = Markdown.anybodys(link -> switch (link) {
        case "known.md" -> Optional.of("/known");
        case "#a" -> Optional.of("#text-a");
        default -> Optional.empty();
    });

    private static String html(String markdown) {
        return ANYBODYS.render(markdown).html();
    }

    @Test
    void textIsRendered() {
        assertThat(html("One *two* `three`\n\n- a\n- b")).contains("<em>two</em>", "<code>three</code>", "<li>a</li>");
        assertThat(html("```sh trailing words\nls\n```"))
                .contains("<pre data-mark=\"trailing words\"><code class=\"language-sh\">ls\n</code></pre>");
        assertThat(html("| a | |\n|---|---|\n| 1 | 2 |"))
                .contains(
                        "<div class=\"scroll\"><table>",
                        "<th scope=\"col\">a</th><td></td>",
                        "<td data-head=\"a\">1</td><td>2</td>");
    }

    /** Long code would be cut in the middle of a word, or leave no room for the other columns. */
    @Test
    void longCodeInTablesWrapsWhereAWordEnds() {
        assertThat(html("| route | result |\n|---|---|\n| `GET /api/health` | `a.b` |"))
                .contains(
                        "<table class=\"many\">",
                        "<code>GET /api/<wbr>health</code>",
                        "<td data-head=\"result\"><code>a.<wbr>b</code></td>");
        assertThat(html("| test | |\n|---|---|\n| `aTest.isRun` | `5s,1m` |"))
                .contains(
                        "<div class=\"scroll\"><table>",
                        "<code>a<wbr>Test.<wbr>is<wbr>Run</code>",
                        "<code>5s,<wbr>1m</code>");
        assertThat(html("`/api/<b>`")).contains("<code>/api/&lt;b&gt;</code>");
    }

    @Test
    void headingsHaveAddressesAndLeaveNoLevelOut() {
        var rendered = Markdown.ours(_ -> Optional.empty())
                .render("# One `two`\n\nText *of* it.\n\n#### Deep\n\n## Deep\n\nLast.");
        assertThat(rendered.html())
                .contains("<h1 id=\"one-two\">One <code>two</code></h1>")
                .contains("<h2 id=\"deep\">Deep <a class=\"anchor\" href=\"#deep\"", "<h2 id=\"deep-1\">");
        assertThat(rendered.sections())
                .containsExactly(
                        new Markdown.Section(1, "one-two", "One two", "Text of it."),
                        new Markdown.Section(2, "deep", "Deep", ""),
                        new Markdown.Section(2, "deep-1", "Deep", "Last."));
    }

    /** Or else a skill could put something in the place of what scripts of the page look for. */
    @Test
    void noHeadingTakesAnIdOfThePage() {
        assertThat(html("# theme\n\n# main")).contains("id=\"text-theme\"", "id=\"text-main\"");
        assertThat(Markdown.ours(_ -> Optional.empty()).render("# Theme").html())
                .contains("id=\"theme-1\"");
    }

    @Test
    void linksLeadWhereTheyAreLet() {
        assertThat(html("[a](known.md)")).contains("<a href=\"/known\">a</a>");
        assertThat(html("[a](unknown.md)")).contains("<span class=\"unlinked\"").doesNotContain("<a ");
        assertThat(html("[a](https://example.com/?a=1&b=2)"))
                .contains("<a href=\"https://example.com/?a=1&amp;b=2\" rel=\"noopener nofollow noreferrer\">a</a>");
        assertThat(html("<mailto:a@example.com>")).contains("href=\"mailto:a@example.com\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "javascript:alert(1)",
                "JaVaScRiPt:alert(1)",
                "javascript&colon;alert(1)",
                "javascript&#58;alert(1)",
                "javascript&#x3a;alert(1)",
                "&#106;avascript:alert(1)",
                "java&#9;script:alert(1)",
                "java&Tab;script:alert(1)",
                "java&NewLine;script:alert(1)",
                "&#1;javascript:alert(1)",
                "\\javascript:alert(1)",
                "vbscript:msgbox(1)",
                "data:text/html,<script>alert(1)</script>",
                "data:text/html;base64,PHNjcmlwdD4=",
                "file:///etc/passwd",
                "blob:https://example.com/1",
                "view-source:https://example.com",
                "//evil.example",
                "/\\evil.example",
                "\\\\evil.example",
                "unknown:x",
                "../../mcp-hub",
                "/api/auth/session"
            })
    void otherLinksAreText(String destination) {
        for (var markdown : new String[] {
            "[a](%s)", "[a](<%s>)", "![a](%s)", "<%s>", "[a]\n\n[a]: %s", "[a](%s \"title\")", "[![a](%1$s)](%1$s)"
        }) {
            assertThat(html(markdown.formatted(destination)))
                    .as(markdown.formatted(destination))
                    .doesNotContain("<a ", "<img", "<script");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<script>alert(1)</script>",
                "<img src=x onerror=alert(1)>",
                "text <img src=x onerror=alert(1)> text",
                "<svg/onload=alert(1)>",
                "<a href='javascript:alert(1)'>a</a>",
                "<style>*{display:none}</style>",
                "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
                "<form action=https://evil.example><button>a</button></form>",
                "<meta http-equiv=refresh content='0;url=https://evil.example'>",
                "<!-- a comment that nobody was to see -->",
                "<details open ontoggle=alert(1)>",
                "<?php echo 1 ?>",
                "<![CDATA[<script>alert(1)</script>]]>",
                "# <b onclick=alert(1)>heading</b>",
                "| <b onclick=alert(1)> |\n|---|\n| <i onclick=alert(1)> |",
                "```\"><script>alert(1)</script>\ncode\n```",
                "~~~a\"onclick=alert(1)\ncode\n~~~",
                "[a](https://example.com/\"onclick=alert(1))",
                "[a](https://example.com '\"><script>alert(1)</script>')",
                "![\"><script>alert(1)</script>](https://example.com)",
                "[a](unknown\"><script>alert(1)</script>)",
                "`<script>alert(1)</script>`",
                "    <script>alert(1)</script>"
            })
    void markupIsText(String markdown) {
        assertThat(OURS.matcher(html(markdown)).replaceAll("")).doesNotContain("<", ">");
    }

    @Test
    void picturesAreLinks() {
        assertThat(html("![a *b*](https://example.com/a.png)"))
                .contains(
                        "<a href=\"https://example.com/a.png\" rel=\"noopener nofollow noreferrer\">[picture: a b]</a>")
                .doesNotContain("<img");
        assertThat(html("[![a](https://example.com/a.png)](https://example.com)")
                        .split("<a ", -1))
                .hasSize(2);
    }

    @Test
    void ourCommentsAreLeftOutAndOthersShown() {
        assertThat(Markdown.ours(_ -> Optional.empty())
                        .render("<!-- settings -->\n\ntext")
                        .html())
                .isEqualTo("<p>text</p>\n");
        assertThat(html("<!-- hidden order -->")).contains("&lt;!-- hidden order --&gt;");
        assertThat(Markdown.ours(_ -> Optional.empty())
                        .render("<!-- a --> <script>alert(1)</script> -->")
                        .html())
                .contains("&lt;script&gt;");
    }

    /** As long as what is rendered at all, or a little less than what is refused at once. */
    static Stream<Named<String>> bombs() {
        return Stream.of(
                Named.of("open brackets", "[".repeat(Markdown.MAX)),
                Named.of("few open brackets", "[".repeat(999)),
                Named.of("brackets", "[".repeat(30_000) + "a" + "](b)".repeat(20_000)),
                Named.of("few brackets", paragraphs("[".repeat(450) + "a" + "](b)".repeat(450))),
                Named.of("pictures", "![".repeat(20_000) + "a" + "](b)".repeat(20_000)),
                Named.of("few pictures", paragraphs("![".repeat(450) + "a" + "](b)".repeat(450))),
                Named.of("quotes", ">".repeat(Markdown.MAX)),
                Named.of("lists", "- ".repeat(60_000) + "a"),
                Named.of("emphasis", "*a **a ".repeat(9_000) + "b" + " a** a*".repeat(9_000)),
                Named.of("emphasis without an end", "*a _b ".repeat(20_000)),
                Named.of("emphasis without a beginning", "a* b** c_ ".repeat(12_000)),
                Named.of("backticks", "e`".repeat(1_000) + "`".repeat(100_000)),
                Named.of("tags", "<a ".repeat(40_000)),
                Named.of("few tags", paragraphs("<a ".repeat(999))),
                Named.of("comments", "<!--".repeat(30_000)),
                Named.of("entities", "&".repeat(Markdown.MAX)),
                Named.of("references", "[a]: b\n".repeat(15_000)),
                Named.of("headings", "# a\n".repeat(30_000)),
                Named.of("cells", "|".repeat(1_000) + "\n" + "|-".repeat(1_000) + "|\n" + "|a\n".repeat(30_000)),
                Named.of("wide rows", "|".repeat(16_000) + "\n" + "|-".repeat(16_000) + "|\n|a\n"),
                Named.of("few cells", paragraphs("|".repeat(60) + "\n" + "|-".repeat(60) + "|\n" + "a\n".repeat(20))),
                Named.of("huge", "a *b*\n".repeat(200_000)));
    }

    private static String paragraphs(String one) {
        return (one + "\n\n").repeat(Markdown.MAX / (one.length() + 2));
    }

    @ParameterizedTest
    @MethodSource("bombs")
    void bombsDoNotGoOff(String bomb) {
        var html = assertTimeoutPreemptively(Duration.ofMinutes(2), () -> html(bomb));
        assertThat(html.length())
                .as("what comes of %,d characters", bomb.length())
                .isLessThan(30 * Markdown.MAX);
        assertThat(OURS.matcher(html).replaceAll("")).doesNotContain("<", ">");
    }

    @Test
    void whatWouldCostTooMuchIsShownAsItIsWritten() {
        var one = "![".repeat(495) + "]".repeat(495);
        assertThat(html(one)).startsWith("<p>");
        assertThat(html(paragraphs(one))).startsWith("<pre>");
    }

    @Test
    void addressesOfAllLinksAreOfKnownKinds() {
        var rendered = html("# a\n[a](known.md) <https://example.com> [b](#a) <a@example.com>");
        var links =
                Pattern.compile("href=\"[^\"]*\"").matcher(rendered).results().map(found -> found.group());
        assertThat(links.toList())
                .hasSize(5)
                .allMatch(link -> ADDRESS.matcher(link).matches());
    }
}
