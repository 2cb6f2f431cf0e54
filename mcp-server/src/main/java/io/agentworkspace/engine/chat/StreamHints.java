package io.agentworkspace.engine.chat;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.context.Targets;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.UserRecipient;
import io.agentworkspace.engine.model.tool.Call;
import org.jspecify.annotations.Nullable;

/**
 * The streams of the last messages, by who sent them and what the call named. It is only a hint: calls that probably
 * write into the same stream share a transaction, and the transaction itself finds out where each message goes.
 */
final class StreamHints {
    private static final int REMEMBERED = 10_000;

    private record Sending(
            long tenant,
            String principal,
            String context,
            @Nullable String agent,
            @Nullable String domain,
            @Nullable String zone,
            @Nullable String user) {}

    /** What calls have in common that share a transaction. */
    record SharedStream(long tenant, long stream) {}

    private final Cache<Sending, SharedStream> streams =
            Caffeine.newBuilder().maximumSize(REMEMBERED).build();

    @Nullable
    SharedStream find(Call call, Targets.@Nullable Chat target, @Nullable UserRecipient toUser) {
        return streams.getIfPresent(sending(call, target, toUser));
    }

    void remember(Call call, Targets.@Nullable Chat target, @Nullable UserRecipient toUser, long stream) {
        streams.put(
                sending(call, target, toUser), new SharedStream(call.caller().tenant(), stream));
    }

    private static Sending sending(Call call, Targets.@Nullable Chat target, @Nullable UserRecipient toUser) {
        var caller = call.caller();
        return new Sending(
                caller.tenant(),
                caller.principal(),
                call.contextName(),
                target == null ? null : key(target.agent()),
                target == null ? null : key(target.domain()),
                target == null ? null : key(target.zone()),
                toUser == null ? null : toUser.value().toString());
    }

    private static @Nullable String key(@Nullable Name name) {
        return name == null ? null : name.key();
    }
}
