package io.agentworkspace.engine.integrations.upstreams.client;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.RemovalCause;
import io.agentworkspace.engine.model.tool.Progress;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The calls of this replica whose servers wait for an answer, or have ended while they did. */
final class OpenCalls {
    static final int MOST_OF_TENANT = 500;

    private static final int MOST = 5_000;

    /** As long as a client can bring the state of its request back. */
    private static final Duration LIFE = Duration.ofMinutes(10);

    private final Cache<String, OpenCall> calls = Caffeine.newBuilder()
            .maximumSize(MOST)
            .expireAfterWrite(LIFE)
            .removalListener(OpenCalls::removed)
            .build();

    /** Returns the call of this owner that the state is of. */
    Optional<OpenCall> find(CallOwner owner, String state) {
        return OpenCall.idOf(state)
                .map(calls::getIfPresent)
                .filter(call -> call.owner().equals(owner));
    }

    /** Waits for the result of a call, or for questions. */
    ObjectNode next(OpenCall call) {
        return kept(call, call.next());
    }

    /** @throws UpstreamFailure if no such call waits, or it has failed */
    ObjectNode resume(CallOwner owner, String state, JsonNode answers, Progress progress) {
        var call = find(owner, state).orElseThrow(() -> OpenCall.unanswered("it waits no more"));
        return kept(call, call.resume(state, answers, progress));
    }

    private ObjectNode kept(OpenCall call, ObjectNode outcome) {
        if (ClientTurn.asks(outcome)) {
            makeRoom(call);
            calls.put(call.id(), call);
        } else {
            calls.invalidate(call.id());
        }
        return outcome;
    }

    /** The calls of one tenant do not displace those of others. One that has ended gives way. */
    private void makeRoom(OpenCall call) {
        var others = calls.asMap().values().stream()
                .filter(each -> each.owner().tenant() == call.owner().tenant() && each != call)
                .toList();
        if (others.size() < MOST_OF_TENANT) {
            return;
        }
        var ended = others.stream().filter(OpenCall::hasEnded).findFirst();
        if (ended.isEmpty()) {
            call.abandon();
            throw OpenCall.unanswered("%d calls of your tenant wait for answers already".formatted(MOST_OF_TENANT));
        }
        calls.invalidate(ended.get().id());
    }

    private static void removed(@Nullable String id, @Nullable OpenCall call, RemovalCause cause) {
        if (call != null && cause.wasEvicted()) {
            call.abandon();
        }
    }
}
