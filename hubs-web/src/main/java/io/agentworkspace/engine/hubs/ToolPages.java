package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.markdown.Markdown;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.PublicAddresses;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Optional;

/** The hub of tools: the list by family, and a page for each. */
final class ToolPages {
    static final String ROOT = "/mcp-hub";

    private static final String TOOL = ROOT + "/tools/";
    static final String CONNECT = ROOT + "/connect";
    private static final String CONFORMANCE = ROOT + "/conformance";
    private static final String DOCTOR = ROOT + "/doctor";
    private static final int OFFERED = 3;

    private final Catalogue catalogue;
    private final ToolFamilies families;
    private final PublicAddresses published;
    private final Templates templates;
    private final TokenCounts prices = new TokenCounts();
    private final ConformanceReport referee = ConformanceReport.word();

    ToolPages(Catalogue catalogue, PublicAddresses published, Templates templates) {
        this.catalogue = catalogue;
        this.families = ToolFamilies.of(catalogue);
        this.published = published;
        this.templates = templates;
    }

    Optional<Page> find(PageRequest visit) {
        var name = visit.after(TOOL);
        if (name != null) {
            return Optional.of(
                    catalogue.find(name).map(tool -> tool(tool, visit)).orElseGet(() -> none(name, visit)));
        }
        return switch (visit.path()) {
            case ROOT -> Optional.of(list(visit));
            case CONNECT -> Optional.of(connect(visit));
            case DOCTOR -> Optional.of(doctor(visit));
            case CONFORMANCE -> Optional.of(conformance(visit));
            default -> Optional.empty();
        };
    }

    private Page list(PageRequest visit) {
        var frame = new Templates.Frame(
                "Tools",
                "Every operation of the workspace is a tool: call it over MCP, over REST, or here.",
                "tools",
                "tools");
        var list = ToolList.of(catalogue, prices, published.mcpUrl(), visit.caller());
        return Page.html(templates.page("tools", list, frame, visit));
    }

    private Page tool(Tool<?, ?> tool, PageRequest visit) {
        var frame = new Templates.Frame(tool.name(), ToolList.summary(tool.description()), "tools", "tool");
        var page = ToolPage.of(tool, families.of(tool), published, prices, visit.caller());
        return Page.html(templates.page("tool", page, frame, visit));
    }

    private record None(String name, boolean offers, List<String> near) {}

    /** A name in another case leads to the tool; others to those that look alike. */
    private Page none(String name, PageRequest visit) {
        var names = catalogue.tools().stream().map(Tool::name).toList();
        var same = names.stream().filter(name::equalsIgnoreCase).findFirst();
        if (same.isPresent()) {
            return Page.redirect(TOOL + same.get());
        }
        var frame = new Templates.Frame("No such tool", "There is no tool of this name.", "tools", null);
        var shown = Name.shortened(name);
        var near = Near.nearest(shown, names, OFFERED);
        return Page.html(404, templates.page("no-tool", new None(shown, !near.isEmpty(), near), frame, visit));
    }

    private Page connect(PageRequest visit) {
        var frame = new Templates.Frame("Connect a client", "Ready configuration for clients of MCP.", "connect", null);
        var page = ConnectPage.of(families, prices, published.mcpUrl(), referee.summary(), visit);
        return Page.html(templates.page("connect", page, frame, visit));
    }

    private record Conformance(String html) {}

    private Page conformance(PageRequest visit) {
        var frame = new Templates.Frame("Conformance", "What the protocol's referee says of the service.", "", null);
        var html =
                Markdown.ours(ToolPages::documented).render(referee.markdown()).html();
        return Page.html(templates.page("conformance", new Conformance(html), frame, visit));
    }

    /** Where another document is read. */
    private static Optional<String> documented(String link) {
        return link.endsWith(".md") ? Optional.of(DocPages.ROOT + "/" + link.replace(".md", "")) : Optional.empty();
    }

    private record Doctor(String mcpEndpoint, String baseUrl, boolean signedIn) {}

    private Page doctor(PageRequest visit) {
        var frame = new Templates.Frame(
                "Connection doctor", "How your clients met the service, and what would be right.", "doctor", "doctor");
        var shown = new Doctor(published.mcpUrl() + "/mcp", published.baseUrl(), visit.caller() != null);
        return Page.html(templates.page("doctor", shown, frame, visit));
    }
}
