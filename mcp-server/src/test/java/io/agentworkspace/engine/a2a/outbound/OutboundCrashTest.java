package io.agentworkspace.engine.a2a.outbound;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.EngineProcess;
import io.agentworkspace.engine.testing.Reply;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The engine is killed after it has committed a message to an agent elsewhere, and again while that agent has it. */
@Tag("slow")
class OutboundCrashTest {
    private static final Map<String, String> ALLOWED = Map.of("ENGINE_UPSTREAMS_ALLOW", "127.0.0.0/8");

    @TempDir
    static Path dataDir;

    private static Reply call(EngineProcess engine, String tool, String arguments) throws Exception {
        var json = Json.readObject(arguments.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
        return ClientApi.REST.call(engine.url(), engine.key(), tool, json).ok();
    }

    @Test
    void nothingIsLostAndNothingIsThereTwice() throws Exception {
        var killed = new CountDownLatch(1);
        try (var peer = ScriptedAgent.answering(call -> {
            try {
                killed.await(); // The first engine never gets its answer.
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return ScriptedAgent.read(
                    "{'message':{'messageId':'a','contextId':'c','role':'ROLE_AGENT','parts':[{'text':'At six.'}]}}");
        })) {
            String message;
            try (var engine = EngineProcess.start(dataDir, ALLOWED)) {
                call(
                        engine,
                        "AP_Create",
                        "{'vx':{'name':'Far','description':'Elsewhere.'},'remote':{'url':'%s','credential':{'header':'X-Far','value':'k'}}}"
                                .formatted(peer.url()));
                message = call(engine, "AP_Chat", "{'target':{'agent':'Far'},'content':'When?'}")
                        .text("/content/0/id");
                await().until(() -> peer.calls().size() == 1);
                engine.kill();
            }
            killed.countDown();
            try (var engine = EngineProcess.start(dataDir, ALLOWED)) {
                await().until(() -> call(engine, "AP_Read", "{'target':{'agent':'Far'}}")
                                .at("/content")
                                .size()
                        > 1);
                call(engine, "AP_Chat", "{'target':{'agent':'Far'},'content':'Again?','wait_seconds':120}");
                var messages = call(engine, "AP_Read", "{'target':{'agent':'Far'}}");
                assertThat(messages.texts("/content", "content"))
                        .containsExactly("When?", "At six.", "Again?", "At six.");
                assertThat(peer.calls().stream()
                                .map(each ->
                                        each.at("/params/message/messageId").asString())
                                .filter(message::equals))
                        .hasSizeGreaterThan(1);
                assertThat(peer.credentials()).containsOnly("k");
            }
        }
    }
}
