package io.agentworkspace.engine.integrations.upstreams.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Progress;
import io.agentworkspace.engine.model.upstream.ClientInput;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Calls that wait for answers belong to whoever made them, and a tenant has so many. */
class OpenCallsTest {
    private static final CallOwner OWNER = new CallOwner(1, "demo", 7);

    private static final OpenCall.Replies NOBODY = new OpenCall.Replies() {
        @Override
        public void answer(JsonNode id, ObjectNode answer) {}

        @Override
        public void refuse(JsonNode id, String why) {}
    };

    private static final Progress ASKABLE = new Progress() {
        @Override
        public void report(double done, @Nullable Double total, @Nullable String note) {}

        @Override
        public ClientInput input() {
            var roots = Json.object();
            roots.putObject("roots");
            return new ClientInput(Json.object(), roots, Map.of(), null, 0);
        }
    };

    private final OpenCalls calls = new OpenCalls();

    /** Makes a call whose server asks, then waits. */
    private OpenCall call(CallOwner owner, CountDownLatch end) {
        var call = new OpenCall(owner, Duration.ofMinutes(5), true, ASKABLE, NOBODY);
        call.start(() -> {
            call.asks(Json.readObject(
                    "{\"id\":1,\"method\":\"roots/list\",\"params\":{}}".getBytes(StandardCharsets.UTF_8)));
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new UpstreamFailure(UpstreamFailure.Kind.CANCELLED, "the call was cancelled");
            }
            return Json.object();
        });
        return call;
    }

    private String state(CallOwner owner, CountDownLatch end) {
        return calls.next(call(owner, end)).path("requestState").asString();
    }

    @Test
    void onlyItsOwnerFindsACall() {
        var end = new CountDownLatch(1);
        var call = call(OWNER, end);
        var state = calls.next(call).path("requestState").asString();
        assertThat(state).doesNotContain(call.token());
        assertThat(calls.find(OWNER, state)).contains(call);
        for (var other :
                List.of(new CallOwner(2, "demo", 7), new CallOwner(1, "other", 7), new CallOwner(1, "demo", 8))) {
            assertThat(calls.find(other, state)).isEmpty();
            assertThatThrownBy(() -> calls.resume(other, state, Json.object(), Progress.SILENT))
                    .hasMessage("it waits no more");
        }
        for (var odd : List.of("", ":", call.id(), call.id() + ":", call.id() + ":x", call.id() + ":99999999999")) {
            assertThat(calls.find(OWNER, odd)).isEmpty();
        }
        end.countDown();
    }

    @Test
    void theCallsOfATenantAreBoundedAndEndedOnesGiveWay() throws Exception {
        var ends = new ArrayList<CountDownLatch>();
        var states = new ArrayList<String>();
        for (var i = 0; i < OpenCalls.MOST_OF_TENANT; i++) {
            ends.add(new CountDownLatch(1));
            states.add(state(OWNER, ends.getLast()));
        }
        var more = call(OWNER, new CountDownLatch(1));
        assertThatThrownBy(() -> calls.next(more)).hasMessageContaining("500 calls of your tenant wait");
        more.awaitEnd(); // It was abandoned.
        state(new CallOwner(2, "demo", 9), new CountDownLatch(1)); // Other tenants are not affected.
        var first = calls.find(OWNER, states.getFirst()).orElseThrow();
        ends.getFirst().countDown();
        first.awaitEnd();
        state(OWNER, ends.getLast());
        assertThat(calls.find(OWNER, states.getFirst())).isEmpty();
        assertThat(calls.find(OWNER, states.get(1))).isPresent();
        ends.forEach(CountDownLatch::countDown);
    }
}
