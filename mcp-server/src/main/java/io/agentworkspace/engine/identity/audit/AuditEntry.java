package io.agentworkspace.engine.identity.audit;

import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Titled;
import io.agentworkspace.engine.model.tool.Caller;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An entry of the audit: who did what to which thing, from where, and with what result. It contains the texts of
 * rules, but no other content.
 */
@Titled
public record AuditEntry(
        @Doc("When.") Instant at,
        @Doc("The user's name at that time.") String user,

        @Doc("The user whom an admin acted for.") @Nullable String actingFor,

        @Doc("The kind of credential: key, session, …") String credential,

        @Doc("The id of the API key.") @Nullable String keyId,
        @Doc("The name of the API key.") @Nullable String keyName,

        @Doc("The agent that the caller acted as.") @Nullable
        String agent,

        @Doc("The tool.") String tool,

        @Doc("What the thing is: agent, domain, zone, bank, user, key, …")
        String targetKind,

        @Doc("The thing's name at that time; for a zone with its domain: Den/main.") @Nullable
        String target,

        @Doc("The thing's id, if it has one.") @Nullable String targetId,

        @Doc("The thing's new name.") @Nullable String renamedTo,

        @Doc("A second agent: the one that was invited, banned or given a permission.") @Nullable
        String member,

        @Doc("The endpoint: mcp or rest.") @Nullable String door,

        @Doc("The network address that it came from.") @Nullable
        String address,

        @Doc("The program, by the name that it sent.") @Nullable
        String client,

        @Doc("done, or the name of the error.") String result,

        @Doc("The request id; for a summary that of the last call.")
        String requestId,

        @Doc(
                "How many refused calls of the key, within a minute, this entry summarizes; its words are the last one's. Absent for a single call.")
        @Nullable
        Integer times,

        @Doc("The rules that matched the call.") @Nullable List<String> rules,

        @Doc("For a changed rule: its old text.") @Nullable String before,

        @Doc("For a changed rule: its new text.") @Nullable String after,

        @Doc("true for a call that only showed what it would change.") @Nullable
        Boolean dryRun,

        @Doc("What else the call did: what became of a deleted document's memories, what loading a document changed.")
        @Nullable
        String details,

        @Doc("Why it was refused, without what the note quotes of the request.") @Nullable
        String note,

        @Doc("The names of the arguments, such as target.agent, without their contents.") @Nullable
        List<String> arguments,

        @Doc("The id of the message that the call wrote, or of the one memory that it wrote, deleted, restored or hid.")
        @Nullable
        String item) {
    public static final String DONE = "done";

    /** Returns an entry for an event that is not a tool call. */
    public static AuditEntry event(
            AuditEvent event, Instant at, Actor actor, Subject subject, RequestSource source, String requestId) {
        return new AuditEntry(
                at,
                actor.user(),
                null,
                actor.credential(),
                actor.key(),
                null,
                null,
                event.word(),
                subject.kind(),
                subject.name(),
                subject.id(),
                null,
                null,
                source.endpoint(),
                source.address(),
                source.client(),
                DONE,
                requestId,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null);
    }

    /** Returns this entry with another result, and with the rules that matched. */
    public AuditEntry ruled(String outcome, List<String> matched) {
        return with(outcome, times, matched, details);
    }

    /** Returns this entry as the last of the given number of calls that it summarizes. */
    public AuditEntry summing(int calls) {
        return with(result, calls, rules, details);
    }

    /** Returns this entry with what else was done. */
    public AuditEntry detailed(String more) {
        return with(result, times, rules, more);
    }

    private AuditEntry with(
            String outcome, @Nullable Integer calls, @Nullable List<String> matched, @Nullable String more) {
        return new AuditEntry(
                at,
                user,
                actingFor,
                credential,
                keyId,
                keyName,
                agent,
                tool,
                targetKind,
                target,
                targetId,
                renamedTo,
                member,
                door,
                address,
                client,
                outcome,
                requestId,
                calls,
                matched,
                before,
                after,
                dryRun,
                more,
                note,
                arguments,
                item);
    }

    /** The user and the credential that acted. */
    public record Actor(
            String user, String credential, @Nullable String key) {
        public static Actor of(Caller caller) {
            return new Actor(
                    caller.userName(),
                    caller.principal().split(":", 2)[0],
                    caller.credential().key());
        }
    }

    /** The subject of an event. */
    public record Subject(
            String kind, @Nullable String name, @Nullable String id) {}
}
