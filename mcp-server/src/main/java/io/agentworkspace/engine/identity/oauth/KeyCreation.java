package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.credentials.ProtectedResource;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.model.tool.RequestContext;
import io.agentworkspace.engine.model.tool.ResponseBudget;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.time.Instant;
import java.util.Collection;
import java.util.Objects;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Request;
import tools.jackson.databind.node.ObjectNode;

/** Creates the agent and the key of an access with the tools, run as the user who gives it. */
record KeyCreation(ToolRunner runner, Caller caller, Request from) {
    private static final int LONGEST_NAME = 100;

    /** @throws Problem with the note of the tool that refused */
    void createAgent(Name agent, OAuthClient client) {
        var call = Json.object();
        call.putObject("vx")
                .put("name", agent.text())
                .put("description", "%s, which '%s' gave access to.".formatted(client.name(), caller.userName()));
        call("AP_Create", call);
    }

    /**
     * Returns the id of the key, whose secret nobody learns. Whatever is made of it later, it has no more tools than its resource.
     *
     * @param resource the path of the MCP endpoint that it is for
     */
    String createKey(
            Name agent, OAuthClient client, Collection<String> capabilities, String resource, Instant expires) {
        var call = Json.object()
                .put("name", Excerpt.cut(client.name() + ", connected by OAuth", LONGEST_NAME))
                .put("expires_at", expires.toString());
        if (caller.boundAgent() == null) { // Else it is the caller's own agent.
            call.put("agent", agent.text());
        }
        capabilities.forEach(call.putArray("capabilities")::add);
        var toolset = ProtectedResource.toolset(resource);
        if (!toolset.isEmpty()) {
            toolset.forEach(call.putArray("toolset")::add);
        }
        return call("AK_Create", call).at("/key/id").asString();
    }

    private ObjectNode call(String tool, ObjectNode arguments) {
        var answer = runner.run(new ToolRunner.Request(
                tool,
                arguments,
                caller,
                RequestContext.of(from::getAttribute).requestId(),
                true,
                null,
                Progress.SILENT,
                new RequestSource(
                        RequestSource.REST,
                        Request.getRemoteAddr(from),
                        from.getHeaders().get(HttpHeader.USER_AGENT)),
                ResponseBudget.once(),
                false));
        var problem = answer.problem();
        if (problem != null) {
            throw problem;
        }
        return Objects.requireNonNull(answer.envelope());
    }
}
