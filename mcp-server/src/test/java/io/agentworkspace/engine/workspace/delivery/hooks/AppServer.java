package io.agentworkspace.engine.workspace.delivery.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.HangLimit;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Codex as an application drives it, such as its desktop app or an editor: {@code codex app-server}, one message to a line. */
final class AppServer implements AutoCloseable {
    private final Process process;
    private final BlockingQueue<ObjectNode> results = new LinkedBlockingQueue<>();
    private int last;

    AppServer(Process process) {
        this.process = process;
        Thread.startVirtualThread(this::read);
        call("initialize", "{'clientInfo':{'name':'application','title':'Application','version':'1'}}");
    }

    private void read() {
        try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
            for (var line = in.readLine(); line != null; line = in.readLine()) {
                var message = Json.readObject(line.getBytes(StandardCharsets.UTF_8));
                if (message.has("result") || message.has("error")) {
                    results.add(message);
                }
            }
        } catch (IOException e) {
            // It has ended.
        }
    }

    /** Returns the result. Single quotes stand for double quotes. */
    JsonNode call(String method, String parameters) {
        return call(method, HookFixture.object(parameters));
    }

    private JsonNode call(String method, ObjectNode parameters) {
        var request = Json.object().put("id", ++last).put("method", method);
        request.set("params", parameters);
        try {
            var out = process.outputWriter(StandardCharsets.UTF_8);
            out.write(Json.text(request) + "\n");
            out.flush();
            var answer = results.poll(HangLimit.TIME.toSeconds(), TimeUnit.SECONDS);
            assertThat(answer).as(method).isNotNull();
            assertThat(answer.has("result")).as(answer.toString()).isTrue();
            return answer.path("result");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Does what an application does when its user trusts all hooks of a folder. */
    void trustHooks(String folder) {
        var trusted = Json.object();
        for (var hook : call("hooks/list", "{'cwds':['%s']}".formatted(folder)).at("/data/0/hooks")) {
            trusted.putObject(hook.path("key").asString())
                    .put("trusted_hash", hook.path("currentHash").asString());
        }
        var write = Json.object();
        write.putArray("edits")
                .addObject()
                .put("keyPath", "hooks.state")
                .put("mergeStrategy", "upsert")
                .set("value", trusted);
        call("config/batchWrite", write);
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
