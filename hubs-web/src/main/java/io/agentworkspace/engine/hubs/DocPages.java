package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.Documents.DocFile;
import io.agentworkspace.engine.hubs.markdown.Markdown;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.text.Excerpt;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The documentation: a page for each document, the search through all of them, and the repository files that they
 * link to.
 */
final class DocPages {
    static final String ROOT = Documents.ROOT;
    static final String SEARCH = ROOT + "/search";
    private static final String COMMANDS = ROOT + "/commands";

    static final String LLMS_ADDRESS = "/llms.txt";

    private static final String MARKDOWN = ".md";
    private static final int MIN_CONTENTS = 3;
    private static final String LLMS = """
            # Agent Workspace Engine

            > One shared, durable memory and chat room for AI agents and the people around them. Every operation is a tool over MCP
            > at `/mcp` and a route of the REST API. These are its documents as Markdown.

            """;

    /** A link to a tool. On the page of all commands, each link also gets the command's name as its anchor. */
    private static final Pattern TOOL = Pattern.compile("<a href=\"(" + ToolPages.TOOL + "(\\w+))\">");

    private final String baseUrl;
    private final Supplier<String> reference;
    private final Templates templates;
    private final Map<String, Markdown.Rendered> rendered = new ConcurrentHashMap<>();
    private @Nullable Documents documents;
    private @Nullable DocSearch search;

    DocPages(String baseUrl, Supplier<String> reference, Templates templates) {
        this.baseUrl = baseUrl;
        this.reference = reference;
        this.templates = templates;
    }

    Optional<PageResponse> find(PageRequest request) {
        if (!request.path().equals(ROOT) && !request.path().startsWith(ROOT + "/")) {
            return Optional.empty();
        } else if (request.path().equals(SEARCH)) {
            return Optional.of(found(request));
        }
        var picture = Documents.picture(request.path());
        if (picture.isPresent()) {
            return Optional.of(new PageResponse(200, Assets.type(request.path()), picture.get(), null, false));
        }
        if (request.path().endsWith(MARKDOWN)) {
            var address = withoutMarkdown(request.path());
            return documents()
                    .find(address)
                    .or(() -> documents().chapter(address))
                    .map(document -> PageResponse.markdown(document.markdown()));
        }
        var file = request.after(Documents.FILES);
        if (file != null) {
            return Documents.file(file).map(text -> file(file, text, request));
        }
        // A browser keeps the fragment, which names a command, and the page of all commands leads on to it.
        return documents()
                .find(request.path())
                .map(document -> page(document, request))
                .or(() -> documents().chapter(request.path()).map(_ -> PageResponse.redirect(COMMANDS)));
    }

    private static String withoutMarkdown(String path) {
        return path.substring(0, path.length() - MARKDOWN.length());
    }

    /** Returns the list of all documents for models, as <a href="https://llmstxt.org">llms.txt</a> describes it. */
    PageResponse llms() {
        var text = new StringBuilder(LLMS);
        var group = "";
        // The first document is this same list for people.
        for (var document : documents().withChapters().stream().skip(1).toList()) {
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
        return PageResponse.markdown(text.toString());
    }

    /**
     * Returns the documents, which are read at the first request, so that the server's start does not wait for them.
     */
    private synchronized Documents documents() {
        if (documents == null) {
            documents = new Documents(baseUrl, reference.get());
        }
        return documents;
    }

    /** Finds sections of the pages, without the tools, which have a search of their own. */
    List<DocSearch.DocHit> find(String query) {
        return search().find(query).stream()
                .filter(hit -> !hit.address().startsWith(ToolPages.TOOL))
                .toList();
    }

    private synchronized DocSearch search() {
        if (search == null) {
            search = new DocSearch(documents().withChapters(), this::rendered, documents()::address);
        }
        return search;
    }

    private Markdown.Rendered rendered(DocFile document) {
        return rendered.computeIfAbsent(
                document.address(),
                _ -> Markdown.ours(link -> documents().address(document, link)).render(document.markdown()));
    }

    record DocPage(
            DocNav nav,
            String html,
            List<Markdown.Section> contents,
            @Nullable DocFile before,
            @Nullable DocFile after) {
        public boolean hasContents() {
            return !contents.isEmpty();
        }
    }

    private PageResponse page(DocFile document, PageRequest request) {
        var text = rendered(document);
        var all = documents().all();
        var at = all.indexOf(document);
        var html = anchored(document.address(), text.html());
        var page = new DocPage(
                DocNav.of(all, document),
                html,
                contents(text),
                at == 0 ? null : all.get(at - 1),
                at + 1 == all.size() ? null : all.get(at + 1));
        var first = text.sections().getFirst();
        var frame = new Templates.Frame(first.title(), sentence(first.text()), "docs", "docs");
        return PageResponse.html(templates.page("docs", page, frame, request));
    }

    /** Adds the anchors that other pages link to: each command in the full list, and each error in its table. */
    private static String anchored(String address, String html) {
        if (address.equals(COMMANDS)) {
            return TOOL.matcher(html)
                    .replaceAll(link -> "<a id=\"%s\" href=\"%s\">"
                            .formatted(link.group(2).toLowerCase(Locale.ROOT), link.group(1)));
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

    /** Returns the first sentence of a page. */
    private static String sentence(String text) {
        var end = text.indexOf(". ");
        var sentence = end < 0 ? text : text.substring(0, end + 1);
        return sentence.length() > 200 ? sentence.substring(0, sentence.lastIndexOf(' ', 200)) + " …" : sentence;
    }

    private record Results(DocNav nav, String query, String said, boolean hasQuery, List<DocSearch.DocHit> hits) {}

    private PageResponse found(PageRequest request) {
        var input = request.query().getOrDefault("q", List.of()).stream()
                .findFirst()
                .orElse("")
                .strip();
        var query = Excerpt.cut(input, DocSearch.MAX_QUERY);
        var hits = query.isEmpty() ? List.<DocSearch.DocHit>of() : search().find(query);
        var nav = DocNav.of(documents().all(), null).asking(query);
        var results = new Results(nav, query, said(hits.size()), !query.isEmpty(), hits);
        var frame = new Templates.Frame("Search", "What the documentation says of something.", "docs", "docs");
        return PageResponse.html(templates.page("docs-search", results, frame, request));
    }

    private static String said(int hits) {
        return switch (hits) {
            case 0 -> "No section contains all of";
            case 1 -> "One place for";
            case DocSearch.MAX_HITS -> "The best %d places for".formatted(hits);
            default -> "%d places for".formatted(hits);
        };
    }

    private record File(DocNav nav, String path, String text) {}

    private PageResponse file(String path, String text, PageRequest request) {
        var nav = DocNav.of(documents().all(), null);
        var frame = new Templates.Frame(path, "A file of the project's repository.", "docs", "docs");
        return PageResponse.html(templates.page("docs-file", new File(nav, path, text), frame, request));
    }
}
