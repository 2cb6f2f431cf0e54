package io.agentworkspace.engine.integrations.upstreams;

import com.fasterxml.jackson.annotation.JsonValue;
import io.agentworkspace.engine.integrations.upstreams.client.UpstreamCredential;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The record of an upstream server (decisions, section 19): another MCP server, and its state. */
@Titled
public record Upstream(
        @Doc("Its name, which begins the names of its tools.")
        String name,

        @Doc("Its address.") String url,
        @Doc("Its credential, without secrets.") UpstreamCredential credential,
        @Doc("How long a call may take.") int timeoutMs,

        @Doc("ready; failing: it does not answer; held: something waits for UP_Approve.")
        State state,

        @Doc("The revision of the protocol that it speaks; absent until it has answered.") @Nullable
        String era,

        @Doc("Why it failed last.") @Nullable String lastError,
        @Doc("When it failed last.") @Nullable Instant lastErrorAt,
        @Doc("Since when every call has failed.") @Nullable Instant failingSince,

        @Doc("How long its last calls took, on the replica that reported last.") @Nullable
        Latency latency,

        @Doc("How many tools are in each state.") Counts counts,

        @Doc("How many resources, templates and prompts are.")
        Counts contentCounts,

        @Doc("Of user_oauth: the users who have connected an account, at most 1,000; not in lists.") @Nullable
        List<String> connected,

        @Doc("Its tools; not in lists.") @Nullable List<UpstreamTool> tools,

        @Doc("Its resources, templates and prompts; not in lists.") @Nullable
        List<UpstreamTool> content,

        @Doc("When its tools were last read.") @Nullable Instant refreshedAt,
        @Doc("When it was installed.") Instant createdAt,
        @Doc("When it was last changed.") Instant updatedAt,
        @Doc("Increases with each change.") long revision) {
    /** Whether its tools can be used. */
    public enum State {
        READY,
        FAILING,
        HELD;

        @JsonValue
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Durations of calls. */
    public record Latency(
            @Doc("The median.") int p50Ms,
            @Doc("99 % took at most this.") int p99Ms) {}

    /** How many are in each state. */
    public record Counts(
            @Doc("Listed and callable.") int approved,
            @Doc("Waiting for approval.") int held,
            @Doc("Held because an admin decided so.") int refused,
            @Doc("No longer there.") int gone) {}
}
