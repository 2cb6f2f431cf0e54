package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfZone;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.event.EventData;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.UserHandle;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One run of one tool: who, when, with which request id, and in which context. It lives as long as the request. */
public final class Call {
    private final Caller caller;
    private final Tool<?, ?> tool;
    private final String requestId;
    private Instant now;
    private String contextName = Context.DEFAULT;
    private @Nullable UserHandle actingFor;
    private Progress progress = Progress.SILENT;
    private RequestSource source = RequestSource.NOWHERE;
    private ResponseBudget budget = ResponseBudget.once().forCall();
    private boolean readOnly;
    private boolean hasIdempotencyKey;
    private List<String> rules = List.of();
    private @Nullable Runnable ruleCount;
    private Attempt attempt = new Attempt();

    /** What one attempt at the call has recorded. A repeated one begins with nothing. */
    private static final class Attempt {
        private final List<Event> events = new ArrayList<>();
        private final List<Change> changes = new ArrayList<>();
        private final Set<Requirement> checked = new HashSet<>(2);
        private final Set<Scope> created = EnumSet.noneOf(Scope.class);
        private final Map<Scope, Long> counted = new EnumMap<>(Scope.class);
        private @Nullable Context loaded;
        private @Nullable Context context;
        private Context.@Nullable Ref acting;
        private @Nullable About about;
        private @Nullable TextChange revision;
        private @Nullable String details;
        private @Nullable UUID item;
        private boolean isAnnounced;
        private boolean queued;
        private boolean dryRun;
        private @Nullable Runnable whenRefused;
        private final List<Runnable> ruleCounts = new ArrayList<>(0);
    }

    /** The text of a thing before and after a call changed it; null where there is none. */
    public record TextChange(
            @Nullable String before, @Nullable String after) {}

    /** What a call is about, where the request does not show it: its name, and the id by which clients know it. */
    public record About(String name, @Nullable String id) {}

    /** A call in the default context, for the caller itself. */
    public Call(Caller caller, Tool<?, ?> tool, String requestId, Instant now) {
        this.caller = caller;
        this.tool = tool;
        this.requestId = requestId;
        this.now = now;
    }

    public Caller caller() {
        return caller;
    }

    public Tool<?, ?> tool() {
        return tool;
    }

    /** Returns the tool's name. */
    public String service() {
        return tool.name();
    }

    public String requestId() {
        return requestId;
    }

    public String contextName() {
        return contextName;
    }

    /** Sets the context, and the user in {@code target.user} if that is not the caller. */
    public void runIn(String name, @Nullable UserHandle user) {
        contextName = name;
        actingFor = user;
    }

    /** Returns the user in {@code target.user}, if that is not the caller. Only admins can act for others. */
    public @Nullable UserHandle actingFor() {
        return actingFor;
    }

    /** Returns the time of the run, in whole milliseconds: one instant, unless the call has waited for something. */
    public Instant now() {
        return now;
    }

    /** Moves the time of the run forward to a whole millisecond that is not before this. */
    public void notBefore(Instant at) {
        if (at.isAfter(now)) {
            var millis = at.truncatedTo(ChronoUnit.MILLIS);
            now = millis.isBefore(at) ? millis.plusMillis(1) : millis;
        }
    }

    /** Returns the receiver of progress reports: the MCP client that requested them, or none. */
    public Progress progress() {
        return progress;
    }

    public void progress(Progress listener) {
        progress = listener;
    }

    /** Returns where the request came from: the endpoint and the client program. */
    public RequestSource source() {
        return source;
    }

    public void source(RequestSource of) {
        source = of;
    }

    /** Returns how much more the response may contain. */
    public ResponseBudget budget() {
        return budget;
    }

    public void budget(ResponseBudget limit) {
        budget = limit;
    }

    /** Returns whether the call must not mark anything as read. */
    public boolean isReadOnly() {
        return readOnly;
    }

    public void readOnly(boolean only) {
        readOnly = only;
    }

    /** Returns whether the response is stored, since a repeated call with the same key returns it. */
    public boolean hasIdempotencyKey() {
        return hasIdempotencyKey;
    }

    public void hasIdempotencyKey(boolean value) {
        hasIdempotencyKey = value;
    }

    /** Records an event. It is written in the transaction and sent to subscribers after the commit. */
    public void emit(EventType type, EventData data) {
        attempt.events.add(Event.of(type, now, data));
    }

    /** Records a change of a thing that others may listen to. It is announced to its audience when the transaction is committed. */
    public void changed(Change change) {
        changed(List.of(change));
    }

    /** Records changes; none if the call turned out to change nothing that others may listen to. */
    public void changed(Collection<Change> all) {
        attempt.changes.addAll(all);
        attempt.isAnnounced = true;
    }

    /** Adds the audit's own entry, which every call has: it does not say what the call changed. */
    public void noted(Change entry) {
        attempt.changes.add(entry);
    }

    /** Returns the changes recorded so far, in order. */
    public List<Change> changes() {
        return Collections.unmodifiableList(attempt.changes);
    }

    /** Returns whether the call said what it changed, or that it changed nothing. */
    public boolean isAnnounced() {
        return attempt.isAnnounced;
    }

    /** Records that the handler has checked a requirement of its tool, or that it does not apply to this call. */
    public void checked(Requirement requirement) {
        attempt.checked.add(requirement);
    }

    /**
     * Refuses to go on if the handler has not checked a requirement of its tool. Zones are checked on their domain.
     *
     * @throws IllegalStateException a defect of the tool, so nothing is committed or shown
     */
    public void requireAllChecked() {
        for (var requirement : tool.requirements()) {
            var needed = requirement instanceof OfZone zone ? zone.inDomain() : requirement;
            if (requirement.isCheckedByHandlers() && !attempt.checked.contains(needed)) {
                throw new IllegalStateException(
                        "%s has not checked %s %s".formatted(tool.name(), requirement.kind(), requirement));
            }
        }
    }

    /** Returns the events recorded so far, in order. */
    public List<Event> events() {
        return Collections.unmodifiableList(attempt.events);
    }

    /** Records how many things with a plan limit were created. They are counted, and the response shows how many are left. */
    public void created(Scope scope, long count) {
        attempt.created.add(scope);
        attempt.counted.merge(scope, count, Long::sum);
    }

    /** Records how many things no longer count, 0 if none of those that the call wrote did. */
    public void ended(Scope scope, long count) {
        attempt.counted.merge(scope, -count, Long::sum);
    }

    /** Returns the names of the rules that matched the call and have an effect. */
    public List<String> rules() {
        return rules;
    }

    public void rules(List<String> matched) {
        rules = matched;
    }

    /** Returns the text change for the audit entry; null for calls whose texts are not audited. */
    public @Nullable TextChange revision() {
        return attempt.revision;
    }

    public void revised(TextChange change) {
        attempt.revision = change;
    }

    /** Returns what the audit entry says besides its subject, such as what became of a document's memories. */
    public @Nullable String details() {
        return attempt.details;
    }

    public void details(String text) {
        attempt.details = text;
    }

    /** Returns the memory that the call is about, if it is about one of a bank and not about the bank. */
    public @Nullable UUID item() {
        return attempt.item;
    }

    public void item(UUID id) {
        attempt.item = id;
    }

    /** Returns whether the call only showed what it would change. */
    public boolean isDryRun() {
        return attempt.dryRun;
    }

    public void dryRun() {
        attempt.dryRun = true;
    }

    /** Sets what is recorded of the call if it is refused. It runs after the call's transaction was rolled back. */
    public void whenRefused(Runnable record) {
        attempt.whenRefused = record;
    }

    /** Sets what counts the rules that matched the call, once it has ended. That of a repeated attempt replaces it. */
    public void countingRules(Runnable count) {
        ruleCount = count;
    }

    /** The same for rules that matched a part of the call, of which an attempt can have several. */
    public void countingRulesOfPart(Runnable count) {
        attempt.ruleCounts.add(count);
    }

    /** Counts the rules that matched. */
    public void countRules() {
        if (ruleCount != null) {
            ruleCount.run();
        }
        attempt.ruleCounts.forEach(Runnable::run);
    }

    /** Records what the handler wanted to be recorded of a refusal. */
    public void refused() {
        if (attempt.whenRefused != null) {
            attempt.whenRefused.run();
        }
    }

    /** Returns the scopes of which things were created so far. */
    public Set<Scope> created() {
        return Collections.unmodifiableSet(attempt.created);
    }

    /** Returns by how much the call has changed the counts so far, 0 included. */
    public Map<Scope, Long> counted() {
        return Collections.unmodifiableMap(attempt.counted);
    }

    /** Records that deliveries were queued: the outbox has work once the transaction is committed. */
    public void queue() {
        attempt.queued = true;
    }

    /** Returns whether the outbox has work to do for this call. */
    public boolean concernsOutbox() {
        return attempt.queued || !attempt.events.isEmpty();
    }

    /** Clears all that the handler recorded when its work begins, since it may be repeated. */
    public void begin() {
        attempt = new Attempt();
    }

    /** Returns the acting agent: the one that the call names, else self. */
    public Context.@Nullable Ref acting() {
        var loaded = attempt.loaded;
        return attempt.acting != null ? attempt.acting : loaded == null ? null : loaded.self();
    }

    public void acting(Context.Ref named) {
        attempt.acting = named;
    }

    /**
     * Returns what a command is about, once it is found. The request may have named a user by e-mail address, or a
     * document by id.
     */
    public @Nullable About about() {
        return attempt.about;
    }

    public void about(About found) {
        attempt.about = found;
    }

    /**
     * Returns the context. Handlers have one; what a tool does before its transaction has one if it loads it.
     */
    public Context context() {
        return read(attempt.context);
    }

    public @Nullable Context contextIfKnown() {
        return attempt.context;
    }

    /** Returns the context as stored when the call read it, before the call changed anything. */
    public Context loadedContext() {
        return read(attempt.loaded);
    }

    /** Returns whether the call changed what the context selects. */
    public boolean hasMoved() {
        return attempt.loaded != null && attempt.context != null && !attempt.context.selectsAs(attempt.loaded);
    }

    /** Sets the context as read. {@link #context(Context)} sets what the call changes it to. */
    public void load(Context read) {
        attempt.loaded = read;
        attempt.context = read;
    }

    /** Sets how many messages wait for the speaker, which is counted for each call. */
    public void unread(long count) {
        attempt.loaded = context(attempt.loaded, count);
        attempt.context = context(attempt.context, count);
    }

    private static Context context(@Nullable Context context, long unread) {
        return read(context).withUnread(unread);
    }

    public void context(Context changed) {
        attempt.context = changed;
    }

    private static Context read(@Nullable Context context) {
        if (context == null) {
            throw new IllegalStateException("the context has not been read yet");
        }
        return context;
    }

    /**
     * Returns whether the speaker has read what the call returns: an agent, or a person. A program that reads its owner's messages
     * only looks at them, so they still wait for the owner.
     */
    public boolean isReadBySpeaker() {
        return context().self() != null || caller.isPerson();
    }

    /** Returns whether a person speaks: signed in, and not logged on as an agent. */
    public boolean isByPerson() {
        return caller.isPerson() && context().self() == null;
    }
}
