package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.model.tool.PublicAddresses;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.List;
import java.util.Locale;

/** All pages, by their addresses. They show what anybody may see, and to whom has signed in also what is one's own. */
public final class HubRoutes {
    private static final List<String> ASSETS = List.of(
            "hub.css",
            "prose.css",
            "theme.js",
            "hub.js",
            "dom.js",
            "account.js",
            "tabs.js",
            "tools.js",
            "tool.js",
            "form.js",
            "doctor.js",
            "prose.js",
            "docs.js",
            "skills.js",
            "console/console.css",
            "console/app.js",
            "console/api.js",
            "console/live.js",
            "console/ui.js",
            "console/virtual.js",
            "console/search.js",
            "console/graph.js",
            "console/demo.js",
            "console/world.js",
            "console/agents.js",
            "console/spaces.js",
            "console/memory.js",
            "console/keys.js",
            "console/webhooks.js",
            "console/activity.js",
            "console/settings.js",
            "icon.svg");
    private static final List<String> SECTIONS =
            List.of(ToolPages.ROOT, SkillPages.ROOT, DocPages.ROOT, ConsolePages.ROOT);

    private final Assets assets = new Assets(ASSETS);
    private final Templates templates;
    private final ToolPages tools;
    private final SkillPages skills;
    private final DocPages docs;
    private final ConsolePages console;

    public HubRoutes(ToolRunner runner, PublicAddresses published) {
        templates = new Templates(assets, published.version());
        tools = new ToolPages(runner.catalogue(), published, templates);
        skills = new SkillPages(runner, templates);
        docs = new DocPages(published.baseUrl(), templates);
        console = new ConsolePages(published, templates);
    }

    /** Whether an address, decoded, is one of a page. */
    public static boolean covers(String path) {
        return path.equals("/")
                || path.equals(DocPages.LLMS_ADDRESS)
                || path.startsWith(Assets.PREFIX)
                || SECTIONS.stream().anyMatch(section -> path.equals(section) || path.startsWith(section + "/"));
    }

    /** Every address has an answer: the page, a redirect, or a page that says that there is none. */
    public Page page(PageRequest request) {
        if (request.path().equals("/")) {
            return Page.redirect(ToolPages.ROOT);
        }
        if (request.path().startsWith(Assets.PREFIX)) {
            return assets.find(request.path()).orElseGet(() -> missing(request));
        }
        if (request.path().equals(DocPages.LLMS_ADDRESS)) {
            return docs.llms();
        }
        if (request.path().endsWith("/")) {
            return Page.redirect(request.withoutSlash());
        }
        return tools.find(request)
                .or(() -> skills.find(request))
                .or(() -> docs.find(request))
                .or(() -> console.find(request))
                .orElseGet(() -> missing(request));
    }

    private Page missing(PageRequest request) {
        var frame = new Templates.Frame("No such page", "There is nothing at this address.", "", null);
        return Page.html(404, templates.page("missing", List.of(), frame, request));
    }

    private record Refused(String title, String note, boolean later, String requestId) {}

    /** A refusal as a person reads it who came with a browser, under its status. */
    public Page refused(PageRequest request, int status, String note) {
        var title = status < 500 ? "This was refused" : "The service cannot answer now";
        var frame = new Templates.Frame(title, "Why nothing else is shown at this address.", "", null);
        var shown = new Refused(title, sentence(note), status >= 500, request.requestId());
        return Page.html(status, templates.page("refused", shown, frame, request));
    }

    /** A note stands in envelopes and after a colon: here it is a sentence. */
    static String sentence(String note) {
        var begun = note.substring(0, 1).toUpperCase(Locale.ROOT) + note.substring(1);
        return note.matches("(?s).*[.!?]") ? begun : begun + ".";
    }
}
