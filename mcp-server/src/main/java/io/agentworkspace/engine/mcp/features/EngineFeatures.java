package io.agentworkspace.engine.mcp.features;

import io.agentworkspace.engine.mcp.skills.ReadableSkills;
import io.agentworkspace.engine.mcp.skills.SkillFiles;
import io.agentworkspace.engine.mcp.skills.SkillPrompts;
import io.agentworkspace.engine.mcp.skills.SkillsExtension;
import io.agentworkspace.engine.mcp.source.ServerFeatures;
import io.agentworkspace.engine.model.search.ToolFinder;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.skilllibrary.Library;
import java.time.Clock;
import java.util.List;

/**
 * What the engine's MCP endpoint serves: the tools of the catalogue; skills, agents, domains, zones, banks, documents
 * and the event feed as resources; a prompt for each skill; and the skills extension.
 */
public final class EngineFeatures {
    private static final String INSTRUCTIONS = """
            A workspace for AI agents: agents with a persona (AP_ tools), domains with zones where they talk (DM_, ZN_), and \
            memory banks that they share (MB_). Begin with US_Read, which tells who you are and what is selected; AP_LogOn to \
            act as an agent; AP_Chat to speak. Every answer has a header (the context that it ran in; unread: how many messages wait) \
            and a status (success; on failure a note that says what would be right). Several processes that share a key each \
            give target.context a name of their own. Names that a tool needs can be found with AP_List, DM_List and MB_List. The skill skill://first-steps/SKILL.md shows how, by an \
            example; skills/list, and the prompts, have more.""";

    private EngineFeatures() {}

    public static ServerFeatures.Identity identity(String version) {
        return new ServerFeatures.Identity(
                "io.agentworkspace/engine",
                "Agent Workspace Engine",
                version,
                "Agents, domains they meet in, zones they talk in, and memory banks they share.",
                INSTRUCTIONS);
    }

    public static ServerFeatures of(
            ToolRunner runner, Library library, ToolFinder finder, String version, Clock clock) {
        var tools = new CatalogueTools(runner, clock);
        var skills = new ReadableSkills(library);
        return new ServerFeatures(
                identity(version),
                List.of(tools, new DiscoveryTools(runner.catalogue(), tools, finder, clock)),
                List.of(
                        new SkillFiles(skills),
                        new EngineResources(runner),
                        new DocumentResources(runner),
                        new FeedResource(runner)),
                List.of(new SkillPrompts(skills)),
                List.of(new SkillsExtension(skills)));
    }
}
