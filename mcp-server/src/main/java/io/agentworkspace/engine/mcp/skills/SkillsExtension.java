package io.agentworkspace.engine.mcp.skills;

import io.agentworkspace.engine.kernel.wire.ListPage;
import io.agentworkspace.engine.kernel.wire.MethodResult;
import io.agentworkspace.engine.kernel.wire.Params;
import io.agentworkspace.engine.mcp.methods.ResourceMethods;
import io.agentworkspace.engine.mcp.source.Extension;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** The skills extension (SEP-2640): skills with the digests of all their files, and folders as lists. */
public record SkillsExtension(ReadableSkills skills) implements Extension {
    /** Not shared between callers, since a tenant may have its own skills. */
    static final MethodResult.Caching FIVE_MINUTES = new MethodResult.Caching(300_000, false);

    private static final String LIST = "skills/list";
    private static final String GET = "skills/get";
    private static final String READ_FOLDER = "resources/directory/read";

    @Override
    public String identifier() {
        return "io.modelcontextprotocol/skills";
    }

    @Override
    public ObjectNode settings() {
        return Json.object().put("directoryRead", true);
    }

    @Override
    public Set<String> methods() {
        return Set.of(LIST, GET, READ_FOLDER);
    }

    @Override
    public MethodResult serve(String method, ObjectNode params, McpRequest request) {
        return switch (method) {
            case LIST -> list(params, request);
            case GET -> get(ResourceMethods.uri(params), request);
            case READ_FOLDER -> children(ResourceMethods.uri(params), params, request);
            default -> throw new IllegalArgumentException("this extension has no method " + method);
        };
    }

    private MethodResult list(ObjectNode params, McpRequest request) {
        var cursor = Params.cursor(params).orElse(null);
        return ListPage.of(skills.all(request).entries(), cursor).result("skills", FIVE_MINUTES);
    }

    /**
     * Responds to {@code skills/get}. An unknown skill is an invalid parameter in every revision, unlike an unknown resource.
     */
    private MethodResult get(String uri, McpRequest request) {
        var entry = skills.at(uri, request).entry(uri).orElseThrow(() -> unknown(uri, request));
        var result = Json.object();
        result.set("skill", entry);
        return MethodResult.done(result, FIVE_MINUTES);
    }

    private Problem unknown(String uri, McpRequest request) {
        var near = Near.nearest(uri, skills.addresses(request), 1);
        return Problem.invalid(
                "params.uri",
                near.isEmpty()
                        ? "must be the address of a skill's SKILL.md, as skills/list has it"
                        : "is no skill's SKILL.md; did you mean '%s'?".formatted(near.getFirst()));
    }

    private MethodResult children(String uri, ObjectNode params, McpRequest request) {
        var children = skills.at(uri, request)
                .children(uri)
                .orElseThrow(
                        () -> Problem.invalid(
                                "params.uri",
                                "must be a folder of a skill, without a slash at its end, like skill://first-steps/references"));
        return ListPage.of(children, Params.cursor(params).orElse(null)).result("resources", FIVE_MINUTES);
    }
}
