package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.mcp.endpoint.Node;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.TestCaller;
import io.agentworkspace.engine.testing.TestServer;
import io.agentworkspace.engine.testing.TestTenant;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Five servers of others, installed with everything that they offer: two of the official TypeScript SDKs, a program behind a bridge,
 * one of the Java SDK, and another tenant of this engine.
 */
public final class FiveServers implements AutoCloseable {
    private final List<Node.Started> programs;
    private final JavaSdkServer java;

    /** @param key of an admin, in whose tenant they are installed */
    public FiveServers(String key, Path folder) throws IOException {
        programs = List.of(
                Node.start("upstream.mjs", Map.of("ERA", "everything")),
                Node.start("upstream.mjs", Map.of("ERA", "memory", "FOLDER", folder.toString())),
                Node.start("upstream.mjs", Map.of("ERA", "2026")));
        java = new JavaSdkServer();
        var root = TestCaller.of(ClientApi.MCP, key);
        var names = List.of("everything", "memory", "typescript");
        for (var i = 0; i < names.size(); i++) {
            install(
                    root,
                    names.get(i),
                    "http://127.0.0.1:%d/mcp".formatted(programs.get(i).port()),
                    "");
        }
        install(root, "java", java.url(), "");
        var other = new TestTenant().key(ClientApi.MCP, "other", Role.OWNER, List.of("*"));
        install(
                root,
                "engine",
                TestServer.url() + "/mcp/x/all",
                ",'credential':{'kind':'header','header':'X-Api-Key','value':'%s'}".formatted(other));
    }

    private static void install(TestCaller root, String name, String url, String credential) {
        var made = root.call(
                        "UP_Install", "{'name':'%s','url':'%s','approve':'all'%s}".formatted(name, url, credential))
                .ok();
        if (made.at("/upstream/counts/approved").asInt() == 0) {
            throw new IllegalStateException(name + " has no tools: " + made.envelope());
        }
    }

    @Override
    public void close() {
        programs.forEach(program -> program.process().destroy());
        java.close();
    }
}
