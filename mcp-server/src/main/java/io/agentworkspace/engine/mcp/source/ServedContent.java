package io.agentworkspace.engine.mcp.source;

import java.util.List;
import java.util.stream.Stream;

/** Everything that the MCP endpoint serves. The endpoint and its lanes know the protocol; the sources know the content. */
public record ServedContent(
        Identity identity,
        InstructionSource instructions,
        List<ToolSource> tools,
        List<ResourceSource> resources,
        List<PromptSource> prompts,
        List<Extension> extensions) {

    public ServedContent {
        tools = List.copyOf(tools);
        resources = List.copyOf(resources);
        prompts = List.copyOf(prompts);
        extensions = List.copyOf(extensions);
    }

    /** Returns the same features and another source of tools. */
    public ServedContent with(ToolSource more) {
        return new ServedContent(
                identity,
                instructions,
                Stream.concat(tools.stream(), Stream.of(more)).toList(),
                resources,
                prompts,
                extensions);
    }

    /**
     * The identity of the server.
     *
     * @param name the server's name in reverse-DNS form, with one slash
     * @param description one sentence of at most 100 characters
     */
    public record Identity(String name, String title, String version, String description) {}
}
