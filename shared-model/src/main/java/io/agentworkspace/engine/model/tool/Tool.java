package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.schema.Schema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * One operation of the service, as a value: MCP calls it, a REST route maps onto it, the documents describe it.
 *
 * @param description what a model reads in the list of tools: what it does, what it needs, what to call next
 * @param guide what the list leaves out, and how the tool is found
 * @param requirements what the tool requires of its targets and of the caller's credential
 * @param leastRole the lowest role that may run it
 * @param idempotent whether doing it twice is the same as doing it once
 * @param isLong whether it may take more than a few seconds: clients that support tasks get one, and poll it
 * @param isHeavy whether it takes much processor time: only a few of these calls run at once, and tenants and keys take turns
 * @param wholeTexts whether its response has long texts whole, as in reads; responses to writes cut them
 * @param secretFields the fields of the response that are shown only once, and so not stored for replays
 * @param again the response of a replay if the first one was too long to store: the thing in its current state
 * @param open the response to callers without a credential, if the tool has public data; otherwise null
 * @param reading what the tool does without the field that makes it change something; null if it has none
 * @param metered whether the plan counts and limits its calls
 * @param upload the file that requests may carry instead of a field; null if it takes none
 * @param hasFile whether a REST request with {@code part=file} receives the file of the thing that it reads
 * @param hasLines whether REST sends all pages of its content as JSON lines, unless the client accepts only JSON
 * @param audited what the audit entry of a call names as its subject
 * @param onlySelf whether it acts only for the caller's own user, also for admins
 * @param example the fields of its example that differ from the values that all tools share
 * @param foreign how an installed server describes the tool, if it is such a server's; null for the engine's own
 */
public record Tool<I extends Record, O extends Record>(
        String name,
        String title,
        String description,
        Guide guide,
        Capability capability,
        List<Requirement> requirements,
        Effect effect,
        Role leastRole,
        boolean idempotent,
        boolean isLong,
        boolean isHeavy,
        boolean wholeTexts,
        Route route,
        Class<I> input,
        Schema inputSchema,
        Class<O> output,
        ObjectNode outputSchema,
        List<String> secretFields,
        @Nullable Function<I, O> open,
        @Nullable Again<I, O> again,
        @Nullable Reading<I, O> reading,
        boolean metered,
        Route.@Nullable Upload upload,
        boolean hasFile,
        boolean hasLines,
        Audited audited,
        boolean onlySelf,
        Example.OwnFields example,
        @Nullable ForeignTool foreign,
        Work<I, O> work) {

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
        return work instanceof Work.TwoPhase;
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
        return foreign == null ? capability.word() : Capability.ofUpstream(foreign.upstream());
    }

    public String fullDescription() {
        return guide.details().isEmpty() ? description : description + " " + guide.details();
    }

    /** Returns whether {@code tools/list} shows it to clients that choose no toolset. */
    public boolean isDefault() {
        return guide.tellsContext()
                || (Guide.DEFAULT.contains(family()) && !guide.hints().contains(Guide.Hint.ON_DEMAND));
    }

    /** Returns whether the tool has an alias below the command routes. Other tools have a route of their own. */
    public boolean isCommand() {
        return route.isAlias();
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
        return requirements.stream().filter(kind::isInstance).map(kind::cast).findFirst();
    }

    /** Returns the same tool, with the response of replays whose first response was too long to store. */
    public Tool<I, O> shownAgainBy(Again<I, O> reader) {
        return with(open, reader, reading);
    }

    /** Returns the same tool, which also responds to callers without a credential. */
    public Tool<I, O> openTo(Function<I, O> strangers) {
        return with(strangers, again, reading);
    }

    /** Returns the same tool, which only reads without this field. All callers that may read can run it then. */
    public Tool<I, O> readingWithout(String field, Handler<I, O> reader) {
        return with(open, again, new Reading<>(field, null, reader));
    }

    /** Returns the same tool, which only reads if this field has this value. */
    public Tool<I, O> readingWith(String field, String value, Handler<I, O> reader) {
        return with(open, again, new Reading<>(field, value, reader));
    }

    /** Returns whether a tool that can change something only reads with these arguments. */
    boolean readsWith(ObjectNode arguments) {
        return reading != null && reading.isMeant(arguments);
    }

    /** Returns what runs with these arguments: the tool itself, or its reading form. */
    public Tool<I, O> runFor(ObjectNode arguments) {
        if (reading == null || !readsWith(arguments)) {
            return this;
        }
        return new Tool<>(
                name,
                title,
                description,
                guide,
                family().read(),
                requirements,
                Effect.READS,
                Role.VIEWER,
                true,
                isLong,
                isHeavy,
                true,
                route,
                input,
                inputSchema,
                output,
                outputSchema,
                List.of(),
                open,
                null,
                null,
                metered,
                upload,
                hasFile,
                hasLines,
                audited,
                onlySelf,
                example,
                foreign,
                new Work.OnePhase<>(reading.handler()));
    }

    private Tool<I, O> with(
            @Nullable Function<I, O> strangers, @Nullable Again<I, O> reader, @Nullable Reading<I, O> unless) {
        return new Tool<>(
                name,
                title,
                description,
                guide,
                capability,
                requirements,
                effect,
                leastRole,
                idempotent,
                isLong,
                isHeavy,
                wholeTexts,
                route,
                input,
                inputSchema,
                output,
                outputSchema,
                secretFields,
                strangers,
                reader,
                unless,
                metered,
                upload,
                hasFile,
                hasLines,
                audited,
                onlySelf,
                example,
                foreign,
                work);
    }

    public static Draft named(String name) {
        return new Draft(name);
    }

    /** A builder of tools. */
    public static final class Draft {
        private final String name;
        private @Nullable String title;
        private @Nullable String description;
        private String details = "";
        private List<String> phrases = List.of();
        private boolean tellsContext;
        private @Nullable BiConsumer<ObjectNode, ObjectNode> shortener;
        private Set<Guide.Hint> hints = Set.of();
        private String use = "";
        private @Nullable Capability capability;
        private List<Requirement> requirements = List.of();
        private Effect effect = Effect.READS;
        private @Nullable Role leastRole;
        private boolean idempotent;
        private boolean isLong;
        private boolean isHeavy;
        private boolean wholeTexts;
        private @Nullable Route route;
        private final List<Route> further = new ArrayList<>();
        private boolean metered = true;
        private Route.@Nullable Upload upload;
        private boolean hasFile;
        private boolean hasLines;
        private @Nullable Audited audited;
        private boolean onlySelf;
        private final Map<String, String> examples = new LinkedHashMap<>();
        private final Set<String> omitted = new LinkedHashSet<>();

        private Draft(String name) {
            this.name = name;
        }

        public Draft title(String value) {
            title = value;
            return this;
        }

        public Draft description(String value) {
            description = value.strip();
            return this;
        }

        /** Sets what callers need to know beyond the description. The list of tools leaves it out. */
        public Draft details(String value) {
            details = value.strip();
            return this;
        }

        /** Sets other names that callers may use, with words that title and description do not have. */
        public Draft alsoCalled(String... values) {
            phrases = List.of(values);
            return this;
        }

        /** Sets what shortens the response over MCP, given the response and the arguments. */
        public Draft shortened(BiConsumer<ObjectNode, ObjectNode> value) {
            shortener = value;
            return this;
        }

        /** Includes the context in the response over MCP, and puts the tool into the default list. */
        public Draft tellsContext() {
            tellsContext = true;
            return this;
        }

        public Draft hints(Guide.Hint... values) {
            hints = Set.of(values);
            return this;
        }

        /** Names the tool in the instructions of the MCP endpoint: "Use it " and this. */
        public Draft use(String value) {
            use = value;
            return this;
        }

        public Draft needs(Capability value) {
            capability = value;
            return this;
        }

        /** Sets what the tool requires of its targets and of the credential; one requirement for each kind. */
        public Draft on(Requirement... needed) {
            requirements = List.of(needed);
            return this;
        }

        public Draft effect(Effect value) {
            effect = value;
            return this;
        }

        /** Sets the lowest role that may run the tool. The default is member for writes, else viewer. */
        public Draft atLeast(Role value) {
            leastRole = value;
            return this;
        }

        public Draft idempotent() {
            idempotent = true;
            return this;
        }

        public Draft takesLong() {
            isLong = true;
            return this;
        }

        /** Lets only a few of these calls run at once, since they take much processor time. */
        public Draft heavy() {
            isHeavy = true;
            return this;
        }

        /** Keeps long texts whole in the response to this write, since its callers need them. */
        public Draft wholeTexts() {
            wholeTexts = true;
            return this;
        }

        public Draft route(String method, String path) {
            route = new Route(method, path);
            return this;
        }

        /** @param parameters the path parameters with a name other than their field's: see {@link Route#parameters} */
        public Draft route(String method, String path, Map<String, String> parameters) {
            route = new Route(method, path, parameters);
            return this;
        }

        /** Gives a command a route below {@code /api} besides its alias. */
        public Draft alsoAt(String method, String path) {
            further.add(new Route(method, path));
            return this;
        }

        /** Excludes the tool from the plan's count and limit of calls: an owner needs it to change the plan. */
        public Draft unmetered() {
            metered = false;
            return this;
        }

        /** Lets REST requests carry a file of this type instead of this field. */
        public Draft upload(String field, String mediaType, Route.Passing passing) {
            upload = new Route.Upload(field, mediaType, passing);
            return this;
        }

        /** Lets REST requests with {@code part=file} receive the file of the thing that the tool reads. */
        public Draft hasFile() {
            hasFile = true;
            return this;
        }

        /** Lets REST send all pages of {@code content} as JSON lines: the handler returns one page, and {@code next_cursor}. */
        public Draft hasLines() {
            hasLines = true;
            return this;
        }

        /** Sets what the audit entry of a call names as its subject. By default the family decides. */
        public Draft audits(Audited value) {
            audited = value;
            return this;
        }

        /** Refuses every {@code target.user} but the caller's own, since it is not who is addressed. */
        public Draft onlySelf() {
            onlySelf = true;
            return this;
        }

        /** Sets the value of this field in the tool's example. */
        public Draft example(String field, String value) {
            examples.put(field, value);
            return this;
        }

        /** Leaves this field, which the examples of similar tools have, out of the tool's example. */
        public Draft exampleWithout(String field) {
            omitted.add(field);
            return this;
        }

        public <I extends Record, O extends Record> Tool<I, O> handledBy(
                Class<I> input, Class<O> output, Handler<I, O> handler) {
            return handledBy(input, output, new Work.OnePhase<>(handler));
        }

        /** Completes a tool whose response is completed after the commit. */
        public <I extends Record, O extends Record> Tool<I, O> completedBy(
                Class<I> input, Class<O> output, Handler<I, O> handler, Work.Sequel<I> sequel) {
            return handledBy(input, output, new Work.Continued<>(handler, sequel));
        }

        /** Completes a tool that calls other servers: {@code outside} before the transaction, {@code inside} in it. */
        public <I extends Record, M, O extends Record> Tool<I, O> handledBy(
                Class<I> input, Class<O> output, Handler<I, M> outside, Work.Finish<I, M, O> inside) {
            return handledBy(input, output, new Work.TwoPhase<>(outside, inside));
        }

        private <I extends Record, O extends Record> Tool<I, O> handledBy(
                Class<I> input, Class<O> output, Work<I, O> work) {
            return new Tool<>(
                    name,
                    Objects.requireNonNull(title, name),
                    Objects.requireNonNull(description, name),
                    new Guide(details, phrases, tellsContext, shortener, hints, use),
                    Objects.requireNonNull(capability, name),
                    requirements,
                    effect,
                    leastRole != null ? leastRole : effect.writes() ? Role.MEMBER : Role.VIEWER,
                    idempotent || effect.reads(),
                    isLong,
                    isHeavy,
                    wholeTexts || !effect.isTransactional(),
                    further.stream().reduce(route == null ? Family.ofTool(name).alias(name) : route, Route::and),
                    input,
                    Schema.ofInput(input, effect.isTransactional()),
                    output,
                    Envelope.schema(output),
                    Envelope.secretFields(output),
                    null,
                    null,
                    null,
                    metered,
                    upload,
                    hasFile,
                    hasLines,
                    audited == null ? Family.ofTool(name).audited() : audited,
                    onlySelf,
                    new Example.OwnFields(examples, omitted),
                    null,
                    work);
        }
    }
}
