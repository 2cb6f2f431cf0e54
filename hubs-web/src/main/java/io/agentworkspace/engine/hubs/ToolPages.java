package io.agentworkspace.engine.hubs;

import io.agentworkspace.engine.hubs.markdown.Markdown;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Tool;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The hub of tools: the list by family, and a page for each. */
final class ToolPages {
    static final String ROOT = "/mcp-hub";

    static final String TOOL = ROOT + "/tools/";
    static final String CONNECT = ROOT + "/connect";
    private static final String CONFORMANCE = ROOT + "/conformance";
    private static final String DOCTOR = ROOT + "/doctor";
    private static final int OFFERED = 3;

    private final Catalogue catalogue;
    private final ToolFamilies families;
    private final PublicAddresses published;
    private final Templates templates;
    private final TokenCounts counts = new TokenCounts();
    private final ConformanceReport report = ConformanceReport.word();

    ToolPages(Catalogue catalogue, PublicAddresses published, Templates templates) {
        this.catalogue = catalogue;
        this.families = ToolFamilies.of(catalogue);
        this.published = published;
        this.templates = templates;
    }

    Optional<PageResponse> find(PageRequest request) {
        var name = request.after(TOOL);
        if (name != null) {
            return Optional.of(catalogue
                    .find(name)
                    .map(tool -> tool(tool, request))
                    .or(() -> installed(name, request))
                    .orElseGet(() -> none(name, request)));
        }
        return switch (request.path()) {
            case ROOT -> Optional.of(list(request));
            case CONNECT -> Optional.of(connect(request));
            case DOCTOR -> Optional.of(doctor(request));
            case CONFORMANCE -> Optional.of(conformance(request));
            default -> Optional.empty();
        };
    }

    private PageResponse list(PageRequest request) {
        var frame = new Templates.Frame(
                "Tools",
                "Every operation of the workspace is a tool: call it over MCP, over REST, or here.",
                "tools",
                "tools");
        var list = ToolList.of(catalogue, counts, published.mcpUrl(), request.caller());
        return PageResponse.html(templates.page("tools", list, frame, request));
    }

    private PageResponse tool(Tool<?, ?> tool, PageRequest request) {
        var frame = new Templates.Frame(tool.name(), ToolList.summary(tool.description()), "tools", "tool");
        var page = ToolPage.of(tool, catalogue, published, counts, request.caller());
        return PageResponse.html(templates.page("tool", page, frame, request));
    }

    /** Returns the page of an installed server's tool, for those who may call it. */
    private Optional<PageResponse> installed(String name, PageRequest request) {
        var caller = request.caller();
        if (caller == null) {
            return Optional.empty();
        }
        return catalogue.installed(caller).stream()
                .filter(tool -> tool.name().equals(name))
                .findFirst()
                .map(tool -> {
                    var frame = new Templates.Frame(
                            tool.name(), "A tool of the server '%s'.".formatted(tool.toolset()), "tools", null);
                    var page = InstalledToolPage.of(tool, published);
                    return PageResponse.html(templates.page("installed-tool", page, frame, request));
                });
    }

    private record None(String name, boolean offers, List<String> near) {}

    /** Handles an unknown name: a name in another case redirects to the tool, and any other gets suggestions. */
    private PageResponse none(String name, PageRequest request) {
        var names = catalogue.tools().stream().map(Tool::name).toList();
        var same = names.stream().filter(name::equalsIgnoreCase).findFirst();
        if (same.isPresent()) {
            return PageResponse.redirect(TOOL + same.get());
        }
        var frame = new Templates.Frame("No such tool", "There is no tool of this name.", "tools", null);
        var excerpt = Name.shortened(name);
        var near = Near.nearest(excerpt, names, OFFERED);
        return PageResponse.html(
                404, templates.page("no-tool", new None(excerpt, !near.isEmpty(), near), frame, request));
    }

    private PageResponse connect(PageRequest request) {
        var frame = new Templates.Frame(
                "Connect a client",
                "A key, a configuration and the first handshake, step by step.",
                "connect",
                "connect");
        var caller = request.caller();
        var servers = caller == null
                ? List.<String>of()
                : catalogue.installed(caller).stream()
                        .map(Tool::toolset)
                        .distinct()
                        .toList();
        var page = ConnectPage.of(families, servers, counts, published.mcpUrl(), report.summary(), request);
        return PageResponse.html(templates.page("connect", page, frame, request));
    }

    private record Conformance(String html) {}

    private PageResponse conformance(PageRequest request) {
        var frame = new Templates.Frame("Conformance", "What the protocol's referee says of the service.", "", "prose");
        var html =
                Markdown.ours(ToolPages::documented).render(report.markdown()).html();
        return PageResponse.html(templates.page("conformance", new Conformance(html), frame, request));
    }

    /** Returns the address of the page for a link of the report to another document. */
    private static Optional<String> documented(String link) {
        var parts = link.split("(?=#)", 2);
        return parts[0].endsWith(".md")
                ? Optional.of(Path.of(ConformanceReport.SOURCE)
                                .resolveSibling(parts[0])
                                .normalize()
                                .toString()
                                .replaceFirst("\\.md$", "")
                        + (parts.length > 1 ? parts[1] : ""))
                : Optional.empty();
    }

    private record FrontPage(int count) {}

    /** Returns the page at {@code /}: what the engine is, and where to begin. */
    PageResponse front(PageRequest request) {
        var frame = new Templates.Frame(
                "A shared workspace for agents and people",
                "Agents send each other messages, share a memory and divide their work; people watch, answer and decide.",
                "",
                null);
        var page = new FrontPage(catalogue.tools().size());
        return PageResponse.html(templates.page("front", page, frame, request));
    }

    private record DoctorPage(String mcpEndpoint, String baseUrl, boolean signedIn) {}

    private PageResponse doctor(PageRequest request) {
        var frame = new Templates.Frame(
                "Connection doctor", "How your clients met the service, and what would be right.", "doctor", "doctor");
        var page = new DoctorPage(published.mcpUrl() + "/mcp", published.baseUrl(), request.caller() != null);
        return PageResponse.html(templates.page("doctor", page, frame, request));
    }
}
