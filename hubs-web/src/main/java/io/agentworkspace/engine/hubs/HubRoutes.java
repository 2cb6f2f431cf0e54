package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.search.ToolFinder;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** All pages, by address. They show public data, and to a signed-in user also the user's own. */
public final class HubRoutes {
    private static final List<String> ASSETS = List.of(
            "hub.css",
            "prose.css",
            "theme.js",
            "hub.js",
            "search.js",
            "dom.js",
            "lit-html.js",
            "lit-html.LICENSE",
            "account.js",
            "tabs.js",
            "tools.js",
            "tool.js",
            "answer.js",
            "calls.js",
            "picker.js",
            "form.js",
            "connect.js",
            "authorize.js",
            "doctor.js",
            "prose.js",
            "docs.js",
            "skills.js",
            "console/console.css",
            "console/documents.css",
            "console/start.js",
            "console/app.js",
            "console/api.js",
            "console/live.js",
            "console/ui.js",
            "console/words.js",
            "console/text.js",
            "console/virtual.js",
            "console/search.js",
            "console/evaluate.js",
            "console/contradictions.js",
            "console/still-said.js",
            "console/sentences.js",
            "console/timeline.js",
            "console/graph.js",
            "console/guard.js",
            "console/messages.js",
            "console/parts.js",
            "console/rich-text.js",
            "console/transcript-model.js",
            "console/follow-end.js",
            "console/conversation.js",
            "console/composer.js",
            "console/room.js",
            "console/about-room.js",
            "console/agent-talk.js",
            "console/demo.js",
            "console/world-parts.js",
            "console/world.js",
            "console/document.js",
            "console/documents.js",
            "console/difference.js",
            "console/needs.js",
            "console/revisions.js",
            "console/rule-editor.js",
            "console/rules.js",
            "console/cel.js",
            "console/agent.js",
            "console/agent-cost.js",
            "console/agents.js",
            "console/spaces.js",
            "console/board.js",
            "console/task.js",
            "console/task-parts.js",
            "console/task-looks.js",
            "console/task-dialogs.js",
            "console/reservations.js",
            "console/at-work.js",
            "console/memory.js",
            "console/memory-list.js",
            "console/permissions.js",
            "console/memory-one.js",
            "console/memory-import.js",
            "console/memory-parts.js",
            "console/memory-trash.js",
            "console/memory-unused.js",
            "console/memory-words.js",
            "console/menu.js",
            "console/view-as.js",
            "console/inbox.js",
            "console/keys.js",
            "console/grants.js",
            "console/key-one.js",
            "console/key-dialogs.js",
            "console/deliveries.js",
            "console/webhooks.js",
            "console/upstream-account.js",
            "console/upstream-install.js",
            "console/upstreams.js",
            "console/activity.js",
            "console/entry.js",
            "console/settings.js",
            "icon.svg");
    private static final Set<String> AUTHORIZE = Set.of("/oauth/authorize", "/authorize");
    private static final int NOT_FOUND = 404;
    private static final List<String> SECTIONS =
            List.of(ToolPages.ROOT, SkillPages.ROOT, DocPages.ROOT, ConsolePages.ROOT);

    private final Assets assets = new Assets(ASSETS);
    private final Templates templates;
    private final ToolPages tools;
    private final SkillPages skills;
    private final DocPages docs;
    private final ConsolePages console;
    private final SearchPages search;

    /**
     * Makes the pages.
     *
     * @param reference makes the reference of all commands as Markdown, when a document is first asked for
     */
    public HubRoutes(ToolRunner runner, ToolFinder finder, Supplier<String> reference, PublicAddresses published) {
        templates = new Templates(assets, published.version());
        tools = new ToolPages(runner.catalogue(), published, templates);
        skills = new SkillPages(runner, templates);
        docs = new DocPages(published.baseUrl(), reference, templates);
        search = new SearchPages(runner.catalogue(), finder, new Skills(runner), docs, templates);
        console = new ConsolePages(published, assets, templates);
    }

    /** Returns whether a decoded path is in the area of the pages. */
    public static boolean covers(String path) {
        return path.equals("/")
                || path.equals(DocPages.LLMS_ADDRESS)
                || path.equals(SearchPages.PAGE)
                || path.equals(SearchPages.JSON)
                || path.startsWith(Assets.PREFIX)
                || SECTIONS.stream().anyMatch(section -> path.equals(section) || path.startsWith(section + "/"));
    }

    /** Returns a response for every address: the page, a redirect, or a page that reports that there is none. */
    public PageResponse page(PageRequest request) {
        if (request.path().equals("/")) {
            return tools.front(request);
        }
        if (request.path().startsWith(Assets.PREFIX)) {
            return assets.find(request.path()).orElseGet(() -> missing(request));
        }
        if (AUTHORIZE.contains(request.path())) {
            return authorize(request);
        }
        if (request.path().equals(DocPages.LLMS_ADDRESS)) {
            return docs.llms();
        }
        if (request.path().endsWith("/")) {
            return PageResponse.redirect(request.withoutSlash());
        }
        return tools.find(request)
                .or(() -> skills.find(request))
                .or(() -> docs.find(request))
                .or(() -> console.find(request))
                .or(() -> search.find(request))
                .orElseGet(() -> missing(request));
    }

    /** Returns the page on which a user gives a program access. Its script reads what it is about. */
    private PageResponse authorize(PageRequest request) {
        var frame = new Templates.Frame(
                "Give a program access", "A program asks for access to your workspace.", "", "authorize");
        return PageResponse.html(
                templates.page("authorize", Map.of("signedIn", request.caller() != null), frame, request));
    }

    private PageResponse missing(PageRequest request) {
        var frame = new Templates.Frame("No such page", "There is nothing at this address.", "", null);
        return PageResponse.html(NOT_FOUND, templates.page("missing", List.of(), frame, request));
    }

    private record Refused(String title, String note, boolean later, String requestId) {}

    /** Returns a refusal as a page for a person with a browser, with its HTTP status. */
    public PageResponse refused(PageRequest request, int status, String note) {
        if (status == NOT_FOUND && !request.path().startsWith("/api/")) {
            return missing(request);
        }
        var title = status < 500 ? "This was refused" : "The service cannot answer now";
        var frame = new Templates.Frame(title, "Why nothing else is shown at this address.", "", null);
        var refusal = new Refused(title, sentence(note), status >= 500, request.requestId());
        return PageResponse.html(status, templates.page("refused", refusal, frame, request));
    }

    /** Returns a note as a sentence. Notes are written to follow a colon, as in envelopes. */
    static String sentence(String note) {
        var text = note.substring(0, 1).toUpperCase(Locale.ROOT) + note.substring(1);
        return note.matches("(?s).*[.!?]") ? text : text + ".";
    }
}
