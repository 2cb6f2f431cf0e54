package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.schema.Schema;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * One operation of the service, as a value: MCP calls it, a REST route maps onto it, the documents describe it.
 *
 * @param foreign how an installed server describes the tool, if it is such a server's; null for the engine's own
 */
public record Tool<I extends Record, O extends Record>(
        String name,
        Texts texts,
        Policy policy,
        Contract<I, O> contract,
        Execution<I, O> execution,
        @Nullable ForeignTool foreign) {

    /**
     * What people and models read.
     *
     * @param description what a model reads in the list of tools: what it does, what it needs, what to call next
     * @param guide what the list leaves out, and how the tool is found
     * @param example the fields of its example that differ from the values that all tools share
     */
    public record Texts(String title, String description, Guide guide, Example.OwnFields example) {}

    /**
     * Who may run the tool, and what is counted and recorded of it.
     *
     * @param requirements what the tool requires of its targets and of the caller's credential
     * @param leastRole the lowest role that may run it
     * @param idempotent whether doing it twice is the same as doing it once
     * @param metered whether the plan counts and limits its calls
     * @param onlySelf whether it acts only for the caller's own user, also for admins
     * @param audited what the audit entry of a call names as its subject
     */
    public record Policy(
            Capability capability,
            List<Requirement> requirements,
            Effect effect,
            Role leastRole,
            boolean idempotent,
            boolean metered,
            boolean onlySelf,
            Audited audited) {
        /** Returns the policy of the tool's reading form. */
        private Policy reading(Family family) {
            return new Policy(family.read(), requirements, Effect.READS, Role.VIEWER, true, metered, onlySelf, audited);
        }
    }

    /**
     * The requests and responses.
     *
     * @param secretFields the fields of the response that are shown only once, and so not stored for replays
     * @param wholeTexts whether its response has long texts whole, as in reads; responses to writes cut them
     * @param upload the file that requests may carry instead of a field; null if it takes none
     * @param hasFile whether a REST request with {@code part=file} receives the file of the thing that it reads
     * @param hasLines whether REST sends all pages as one file, JSON lines or what {@code media_type} says, unless the client accepts only JSON
     */
    public record Contract<I, O>(
            Route route,
            Class<I> input,
            Schema inputSchema,
            Class<O> output,
            ObjectNode outputSchema,
            List<String> secretFields,
            boolean wholeTexts,
            Route.@Nullable Upload upload,
            boolean hasFile,
            boolean hasLines) {
        /** Returns the contract of the tool's reading form. */
        private Contract<I, O> reading() {
            return new Contract<>(
                    route,
                    input,
                    inputSchema.forReading(),
                    output,
                    outputSchema,
                    List.of(),
                    true,
                    upload,
                    hasFile,
                    hasLines);
        }
    }

    /**
     * What runs.
     *
     * @param isLong whether it may take more than a few seconds: clients that support tasks get one, and poll it
     * @param isHeavy whether it takes much processor time: only a few of these calls run at once, and tenants and keys take turns
     * @param open the response to callers without a credential, if the tool has public data; otherwise null
     * @param again the response of a replay if the first one was too long to store: the thing in its current state
     * @param reading what the tool does without the field that makes it change something; null if it has none
     */
    public record Execution<I, O>(
            Work<I, O> work,
            boolean isLong,
            boolean isHeavy,
            @Nullable Function<I, O> open,
            @Nullable Again<I, O> again,
            @Nullable Reading<I, O> reading) {
        /** Returns the execution of the tool's reading form. */
        private Execution<I, O> reading(Reading<I, O> form) {
            return new Execution<>(new Work.OnePhase<>(form.handler()), isLong, isHeavy, open, null, null);
        }
    }

    /**
     * What a tool does if the field that makes it change something is missing, or has a value that does not. Then the
     * tool only reads, and requires only the role viewer and its family's read capability.
     *
     * @param field its path, such as {@code vx.access}
     * @param value the value with which it only reads; null if it reads without the field
     */
    public record Reading<I, O>(String field, @Nullable String value, Handler<I, O> handler) {
        private boolean isMeant(ObjectNode arguments) {
            return value == null
                    ? !Schema.isSent(arguments, field)
                    : arguments.at("/" + field.replace('.', '/')).asString("").equals(value);
        }

        /** Returns when the tool only reads, as in {@code without vx.access}, with a quote around the field's name. */
        public String when(String quote) {
            return (value == null ? "without %1$s%2$s%1$s" : "with %1$s%2$s: %3$s%1$s").formatted(quote, field, value);
        }
    }

    /** The handler. Reads issue one statement; everything else runs inside the runner's transaction. */
    @FunctionalInterface
    public interface Handler<I, O> {
        O handle(I input, Call call);
    }

    /** Returns the response of a replay. The stored fields identify what was changed. */
    @FunctionalInterface
    public interface Again<I, O> {
        O show(I input, ObjectNode stored, Call call);
    }

    /** Returns whether the tool calls other servers. */
    public boolean callsOut() {
        return work() instanceof Work.TwoPhase;
    }

    public Family family() {
        return foreign == null ? Family.ofTool(name) : Family.UPSTREAM;
    }

    /** Returns the toolset that the tool is in: its family's, or the one of its installed server. */
    public String toolset() {
        return foreign == null ? family().word() : foreign.upstream();
    }

    /** Returns the name of the capability that the tool requires. */
    public String capabilityWord() {
        return foreign == null ? capability().word() : Capability.ofUpstream(foreign.upstream());
    }

    public String fullDescription() {
        return guide().details().isEmpty() ? description() : description() + " " + guide().details();
    }

    /** Returns whether {@code tools/list} shows it to clients that choose no toolset. */
    public boolean isDefault() {
        return guide().tellsContext()
                || (Guide.DEFAULT.contains(family()) && !guide().hints().contains(Guide.Hint.ON_DEMAND));
    }

    /** Returns whether the tool has an alias below the command routes. Other tools have a route of their own. */
    public boolean isCommand() {
        return route().isAlias();
    }

    /**
     * Returns what the tool requires of a target of this kind.
     *
     * @throws IllegalStateException if the tool declares no requirement: without one, access is refused
     */
    public <R extends Requirement> R requirement(Class<R> kind) {
        return findRequirement(kind)
                .orElseThrow(() -> new IllegalStateException(
                        "%s says nothing about what it needs %s".formatted(name, kind.getSimpleName())));
    }

    public <R extends Requirement> Optional<R> findRequirement(Class<R> kind) {
        return requirements().stream().filter(kind::isInstance).map(kind::cast).findFirst();
    }

    /** Returns the same tool, with the response of replays whose first response was too long to store. */
    public Tool<I, O> shownAgainBy(Again<I, O> reader) {
        return with(open(), reader, reading());
    }

    /** Returns the same tool, which also responds to callers without a credential. */
    public Tool<I, O> openTo(Function<I, O> strangers) {
        return with(strangers, again(), reading());
    }

    /** Returns the same tool, which only reads without this field. All callers that may read can run it then. */
    public Tool<I, O> readingWithout(String field, Handler<I, O> reader) {
        return with(open(), again(), new Reading<>(field, null, reader));
    }

    /** Returns the same tool, which only reads if this field has this value. */
    public Tool<I, O> readingWith(String field, String value, Handler<I, O> reader) {
        return with(open(), again(), new Reading<>(field, value, reader));
    }

    /** Returns whether a tool that can change something only reads with these arguments. */
    boolean readsWith(ObjectNode arguments) {
        var reading = reading();
        return reading != null && reading.isMeant(arguments);
    }

    /** Returns what runs with these arguments: the tool itself, or its reading form. */
    public Tool<I, O> runFor(ObjectNode arguments) {
        var reading = reading();
        return reading == null || !readsWith(arguments)
                ? this
                : new Tool<>(
                        name, texts, policy.reading(family()), contract.reading(), execution.reading(reading), foreign);
    }

    private Tool<I, O> with(
            @Nullable Function<I, O> open, @Nullable Again<I, O> again, @Nullable Reading<I, O> reading) {
        var changed = new Execution<>(work(), isLong(), isHeavy(), open, again, reading);
        return new Tool<>(name, texts, policy, contract, changed, foreign);
    }

    public static ToolDraft named(String name) {
        return new ToolDraft(name);
    }

    public String title() {
        return texts.title();
    }

    public String description() {
        return texts.description();
    }

    public Guide guide() {
        return texts.guide();
    }

    public Example.OwnFields example() {
        return texts.example();
    }

    public Capability capability() {
        return policy.capability();
    }

    public List<Requirement> requirements() {
        return policy.requirements();
    }

    public Effect effect() {
        return policy.effect();
    }

    public Role leastRole() {
        return policy.leastRole();
    }

    public boolean idempotent() {
        return policy.idempotent();
    }

    public boolean metered() {
        return policy.metered();
    }

    public boolean onlySelf() {
        return policy.onlySelf();
    }

    public Audited audited() {
        return policy.audited();
    }

    public Route route() {
        return contract.route();
    }

    public Class<I> input() {
        return contract.input();
    }

    public Schema inputSchema() {
        return contract.inputSchema();
    }

    public Class<O> output() {
        return contract.output();
    }

    public ObjectNode outputSchema() {
        return contract.outputSchema();
    }

    public List<String> secretFields() {
        return contract.secretFields();
    }

    public boolean wholeTexts() {
        return contract.wholeTexts();
    }

    public Route.@Nullable Upload upload() {
        return contract.upload();
    }

    public boolean hasFile() {
        return contract.hasFile();
    }

    public boolean hasLines() {
        return contract.hasLines();
    }

    public Work<I, O> work() {
        return execution.work();
    }

    public boolean isLong() {
        return execution.isLong();
    }

    public boolean isHeavy() {
        return execution.isHeavy();
    }

    @Nullable
    public Function<I, O> open() {
        return execution.open();
    }

    @Nullable
    public Again<I, O> again() {
        return execution.again();
    }

    @Nullable
    public Reading<I, O> reading() {
        return execution.reading();
    }
}
