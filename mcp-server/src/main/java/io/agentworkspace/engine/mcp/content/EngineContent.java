package io.agentworkspace.engine.mcp.content;

import io.agentworkspace.engine.integrations.skills.Library;
import io.agentworkspace.engine.integrations.upstreams.InstalledContent;
import io.agentworkspace.engine.mcp.apps.WorkspaceApps;
import io.agentworkspace.engine.mcp.skills.ReadableSkills;
import io.agentworkspace.engine.mcp.skills.SkillFiles;
import io.agentworkspace.engine.mcp.skills.SkillPrompts;
import io.agentworkspace.engine.mcp.skills.SkillsExtension;
import io.agentworkspace.engine.mcp.source.ServedContent;
import io.agentworkspace.engine.model.search.ToolFinder;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Clock;
import java.util.List;
import java.util.function.Function;

/**
 * What the engine's MCP endpoint serves: the tools of the catalogue; skills, agents, domains, zones, banks, documents
 * and the event feed as resources; a prompt for each skill; the skills extension; what installed servers offer; and pages with
 * results for clients that show them.
 */
public final class EngineContent {
    private EngineContent() {}

    public static ServedContent.Identity identity(String version) {
        return new ServedContent.Identity(
                "io.agentworkspace/engine",
                "Agent Workspace Engine",
                version,
                "Agents, domains they meet in, zones they talk in, and memory banks they share.");
    }

    public static ServedContent of(
            ToolRunner runner,
            Library library,
            ToolFinder finder,
            WelcomeQueries welcome,
            Function<Caller, List<InstalledContent>> installed,
            WorkspaceApps apps,
            String version,
            Clock clock) {
        var tools = new CatalogueTools(runner, apps, clock);
        var skills = new ReadableSkills(library);
        var requests = new InstalledRequests(tools, installed);
        return new ServedContent(
                identity(version),
                new CallerInstructions(runner.catalogue(), welcome, clock),
                List.of(tools, new DiscoveryTools(runner, tools, finder, clock)),
                List.of(
                        new SkillFiles(skills),
                        new EngineResources(runner),
                        new DocumentResources(runner),
                        new FeedResource(runner),
                        new InstalledResources(requests),
                        apps),
                List.of(new SkillPrompts(skills), new InstalledPrompts(requests)),
                List.of(new SkillsExtension(skills)));
    }
}
