package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.event.Event;
import io.agentworkspace.engine.model.event.EventData;
import io.agentworkspace.engine.model.event.EventType;
import io.agentworkspace.engine.model.plan.Scope;
import io.agentworkspace.engine.model.problem.UserHandle;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One run of one tool: who, when, under which request id, and in which context. Lives as long as the request. */
public final class Call {
    private final Caller caller;
    private final Tool<?, ?> tool;
    private final String requestId;
    private final Instant now;
    private final List<Event> events = new ArrayList<>();
    private final Map<Scope, Long> created = new EnumMap<>(Scope.class);
    private String contextName = Context.DEFAULT;
    private @Nullable UserHandle actingFor;
    private boolean queued;
    private @Nullable Context loaded;
    private @Nullable Context context;
    private Progress progress = Progress.SILENT;
    private Context.@Nullable Ref acting;
    private Context.@Nullable Ref about;
    private ResponseBudget budget = ResponseBudget.once().forCall();
    private boolean readOnly;
    private List<String> rules = List.of();
    private @Nullable Revision revision;

    /**
     * The text of a thing before and after a call that changed it; null where there is none.
     */
    public record Revision(
            @Nullable String before, @Nullable String after) {}

    /** In the default context, for the caller itself. */
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

    /** The tool's name. */
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

    /** The user in {@code target.user}, if that is not the caller. Admins only. */
    public @Nullable UserHandle actingFor() {
        return actingFor;
    }

    /** One instant for the whole run, in whole milliseconds. */
    public Instant now() {
        return now;
    }

    /** Receives the progress of a long run: the MCP client that requested it, or nobody. */
    public Progress progress() {
        return progress;
    }

    public void progress(Progress listener) {
        progress = listener;
    }

    /** How much its response may still carry. */
    public ResponseBudget budget() {
        return budget;
    }

    public void budget(ResponseBudget given) {
        budget = given;
    }

    /** Whether nothing may be marked as read. */
    public boolean isReadOnly() {
        return readOnly;
    }

    public void readOnly(boolean only) {
        readOnly = only;
    }

    /** Records an event: it is written in the transaction, and sent to subscribers after the commit. */
    public void tell(EventType type, EventData data) {
        events.add(Event.of(type, now, data));
    }

    /** The events so far, in order. */
    public List<Event> events() {
        return Collections.unmodifiableList(events);
    }

    /** Records how many things were created that the plan limits, so that the response shows how many are left. */
    public void created(Scope scope, long count) {
        created.merge(scope, count, Long::sum);
    }

    /** The names of the rules that matched it and have an effect. */
    public List<String> rules() {
        return rules;
    }

    public void rules(List<String> matched) {
        rules = matched;
    }

    /** What its audit entry says of the text that it changed; null for calls whose texts the audit does not have. */
    public @Nullable Revision revision() {
        return revision;
    }

    public void revised(Revision change) {
        revision = change;
    }

    /** What was created so far. */
    public Map<Scope, Long> created() {
        return Collections.unmodifiableMap(created);
    }

    /** Records that deliveries were queued: there is work for the outbox once the transaction is committed. */
    public void queue() {
        queued = true;
    }

    /** Whether the outbox has work to do for this call. */
    public boolean concernsOutbox() {
        return queued || !events.isEmpty();
    }

    /** The transaction begins, perhaps again: clears what was recorded. */
    public void begin() {
        events.clear();
        created.clear();
        queued = false;
    }

    /** The acting agent: the one that the call names, else self. */
    public Context.@Nullable Ref acting() {
        return acting != null ? acting : loaded == null ? null : loaded.self();
    }

    public void acting(Context.Ref named) {
        acting = named;
    }

    /** The user that a command is about, once it is found: the request may have named it by its address. */
    public Context.@Nullable Ref about() {
        return about;
    }

    public void about(Context.Ref user) {
        about = user;
    }

    /** Known after the first statement; available to handlers in a transaction, and after their read. */
    public Context context() {
        if (context == null) {
            throw new IllegalStateException("the context has not been read yet");
        }
        return context;
    }

    public @Nullable Context contextIfKnown() {
        return context;
    }

    /** The context as it was stored when the call read it, before the call changed anything. */
    public Context loadedContext() {
        if (loaded == null) {
            throw new IllegalStateException("the context has not been read yet");
        }
        return loaded;
    }

    /** Whether the call changed what the context selects. */
    public boolean hasMoved() {
        return loaded != null && context != null && !context.selectsAs(loaded);
    }

    /** The context as read; {@link #context(Context)} sets what the call changes it to. */
    public void load(Context read) {
        loaded = read;
        context = read;
    }

    public void context(Context changed) {
        context = changed;
    }
}
