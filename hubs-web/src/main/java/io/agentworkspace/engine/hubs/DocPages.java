package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.Documents.Document;
import io.agentworkspace.engine.hubs.markdown.Markdown;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.text.Excerpt;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The documentation: a page for each document, the search through all of them, and the files that they speak of. */
final class DocPages {
    static final String ROOT = Documents.ROOT;
    static final String SEARCH = ROOT + "/search";

    static final String LLMS_ADDRESS = "/llms.txt";

    private static final String MARKDOWN = ".md";
    private static final int MIN_CONTENTS = 3;
    private static final String LLMS = """
            # Agent Workspace Engine

            > One shared, durable memory and chat room for AI agents and the people around them. Every operation is a tool over MCP
            > at `/mcp` and a route of the REST API. These are its documents as Markdown.

            """;

    /** On the page of all commands each is found under its own name. */
    private static final Pattern COMMAND = Pattern.compile("<a href=\"(/docs/commands/[a-z-]+#(\\w+))\">");

    private final String baseUrl;
    private final Templates templates;
    private final Map<String, Markdown.Rendered> rendered = new ConcurrentHashMap<>();
    private @Nullable Documents documents;
    private @Nullable DocSearch search;

    DocPages(String baseUrl, Templates templates) {
        this.baseUrl = baseUrl;
        this.templates = templates;
    }

    Optional<Page> find(PageRequest request) {
        if (!request.path().equals(ROOT) && !request.path().startsWith(ROOT + "/")) {
            return Optional.empty();
        } else if (request.path().equals(SEARCH)) {
            return Optional.of(found(request));
        }
        var diagram = Documents.diagram(request.path());
        if (diagram.isPresent()) {
            return Optional.of(new Page(200, Assets.type(request.path()), diagram.get(), null, false));
        }
        if (request.path().endsWith(MARKDOWN)) {
            return documents()
                    .find(withoutMarkdown(request.path()))
                    .map(document -> Page.markdown(document.markdown()));
        }
        var file = request.after(Documents.FILES);
        return file != null
                ? Documents.file(file).map(text -> file(file, text, request))
                : documents().find(request.path()).map(document -> page(document, request));
    }

    private static String withoutMarkdown(String path) {
        return path.substring(0, path.length() - MARKDOWN.length());
    }

    /** The list of all documents for models, as <a href="https://llmstxt.org">llms.txt</a> describes it. */
    Page llms() {
        var text = new StringBuilder(LLMS);
        var group = "";
        for (var document : documents().all().stream().skip(1).toList()) { // The first is this same list for people.
            if (!document.group().equals(group)) {
                group = document.group();
                text.append("\n## ").append(group).append("\n\n");
            }
            text.append("- [%s](%s%s%s): %s\n"
                    .formatted(
                            document.title(),
                            baseUrl,
                            document.address(),
                            MARKDOWN,
                            sentence(rendered(document).sections().getFirst().text())));
        }
        return Page.markdown(text.toString());
    }

    /** Read when first asked for: the start need not wait for them. */
    private synchronized Documents documents() {
        if (documents == null) {
            documents = new Documents(baseUrl);
        }
        return documents;
    }

    private synchronized DocSearch search() {
        if (search == null) {
            search = new DocSearch(documents().all(), this::rendered);
        }
        return search;
    }

    private Markdown.Rendered rendered(Document document) {
        return rendered.computeIfAbsent(
                document.address(),
                _ -> Markdown.ours(link -> documents().address(document, link)).render(document.markdown()));
    }

    record Shown(
            DocNav nav,
            String html,
            List<Markdown.Section> contents,
            @Nullable Document before,
            @Nullable Document after) {
        public boolean hasContents() {
            return !contents.isEmpty();
        }
    }

    private Page page(Document document, PageRequest request) {
        var text = rendered(document);
        var all = documents().all();
        var at = all.indexOf(document);
        var html = anchored(document.address(), text.html());
        var shown = new Shown(
                DocNav.of(all, document),
                html,
                contents(text),
                at == 0 ? null : all.get(at - 1),
                at + 1 == all.size() ? null : all.get(at + 1));
        var first = text.sections().getFirst();
        var frame = new Templates.Frame(first.title(), sentence(first.text()), "docs", "docs");
        return Page.html(templates.page("docs", shown, frame, request));
    }

    /** Adds the anchors that others link to: each command in the full list, and each error in its table. */
    private static String anchored(String address, String html) {
        if (address.equals(ROOT + "/commands")) {
            return COMMAND.matcher(html).replaceAll("<a id=\"$2\" href=\"$1\">");
        }
        var anchored = html;
        if (address.equals(ROOT + "/concepts")) {
            for (var failure : Failure.values()) {
                anchored = anchored.replaceFirst(
                        "<td data-head=\"error\">%s</td>".formatted(failure.error()),
                        "<td data-head=\"error\" id=\"%1$s\">%1$s</td>".formatted(failure.error()));
            }
        }
        return anchored;
    }

    private static List<Markdown.Section> contents(Markdown.Rendered text) {
        var contents =
                text.sections().stream().filter(section -> section.level() == 2).toList();
        return contents.size() < MIN_CONTENTS ? List.of() : contents;
    }

    /** What a page begins with. */
    private static String sentence(String text) {
        var end = text.indexOf(". ");
        var sentence = end < 0 ? text : text.substring(0, end + 1);
        return sentence.length() > 200 ? sentence.substring(0, sentence.lastIndexOf(' ', 200)) + " …" : sentence;
    }

    private record Results(DocNav nav, String query, String said, boolean asked, List<DocSearch.Hit> hits) {}

    private Page found(PageRequest request) {
        var query = request.query().getOrDefault("q", List.of()).stream()
                .findFirst()
                .orElse("")
                .strip();
        var asked = Excerpt.cut(query, DocSearch.MAX_QUERY);
        var hits = asked.isEmpty() ? List.<DocSearch.Hit>of() : search().find(asked);
        var nav = DocNav.of(documents().all(), null).asking(asked);
        var results = new Results(nav, asked, said(hits.size()), !asked.isEmpty(), hits);
        var frame = new Templates.Frame("Search", "What the documentation says of something.", "docs", "docs");
        return Page.html(templates.page("docs-search", results, frame, request));
    }

    private static String said(int hits) {
        return switch (hits) {
            case 0 -> "Nothing holds all of";
            case 1 -> "One place for";
            case DocSearch.MAX_HITS -> "The best %d places for".formatted(hits);
            default -> "%d places for".formatted(hits);
        };
    }

    private record File(DocNav nav, String path, String text) {}

    private Page file(String path, String text, PageRequest request) {
        var nav = DocNav.of(documents().all(), null);
        var frame = new Templates.Frame(path, "A file of the project's repository.", "docs", "docs");
        return Page.html(templates.page("docs-file", new File(nav, path, text), frame, request));
    }
}
