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
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** A tool that is being declared: what it says is complete with its handler. */
public final class ToolDraft {
    private final String name;
    private @Nullable String title;
    private @Nullable String description;
    private String details = "";
    private List<String> phrases = List.of();
    private boolean tellsContext;
    private @Nullable BiConsumer<ObjectNode, ObjectNode> shortener;
    private Set<Guide.Hint> hints = Set.of();
    private Guide.@Nullable Page page;
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

    ToolDraft(String name) {
        this.name = name;
    }

    public ToolDraft title(String value) {
        title = value;
        return this;
    }

    public ToolDraft description(String value) {
        description = value.strip();
        return this;
    }

    /** Sets what callers need to know beyond the description. The list of tools leaves it out. */
    public ToolDraft details(String value) {
        details = value.strip();
        return this;
    }

    /** Sets other names that callers may use, with words that title and description do not have. */
    public ToolDraft alsoCalled(String... values) {
        phrases = List.of(values);
        return this;
    }

    /** Sets the page that shows the result to a person. */
    public ToolDraft page(Guide.Page value) {
        page = value;
        return this;
    }

    /** Sets what shortens the response over MCP, given the response and the arguments. */
    public ToolDraft shortened(BiConsumer<ObjectNode, ObjectNode> value) {
        shortener = value;
        return this;
    }

    /** Includes the context in the response over MCP, and puts the tool into the default list. */
    public ToolDraft tellsContext() {
        tellsContext = true;
        return this;
    }

    public ToolDraft hints(Guide.Hint... values) {
        hints = Set.of(values);
        return this;
    }

    public ToolDraft needs(Capability value) {
        capability = value;
        return this;
    }

    /** Sets what the tool requires of its targets and of the credential; one requirement for each kind. */
    public ToolDraft on(Requirement... needed) {
        requirements = List.of(needed);
        return this;
    }

    public ToolDraft effect(Effect value) {
        effect = value;
        return this;
    }

    /** Sets the lowest role that may run the tool. The default is member for writes, else viewer. */
    public ToolDraft atLeast(Role value) {
        leastRole = value;
        return this;
    }

    public ToolDraft idempotent() {
        idempotent = true;
        return this;
    }

    public ToolDraft takesLong() {
        isLong = true;
        return this;
    }

    /** Lets only a few of these calls run at once, since they take much processor time. */
    public ToolDraft heavy() {
        isHeavy = true;
        return this;
    }

    /** Keeps long texts whole in the response to this write, since its callers need them. */
    public ToolDraft wholeTexts() {
        wholeTexts = true;
        return this;
    }

    public ToolDraft route(String method, String path) {
        route = new Route(method, path);
        return this;
    }

    /** @param parameters the path parameters with a name other than their field's: see {@link Route#parameters} */
    public ToolDraft route(String method, String path, Map<String, String> parameters) {
        route = new Route(method, path, parameters);
        return this;
    }

    /** Gives a command a route below {@code /api} besides its alias. */
    public ToolDraft alsoAt(String method, String path) {
        further.add(new Route(method, path));
        return this;
    }

    /** Excludes the tool from the plan's count and limit of calls: an owner needs it to change the plan. */
    public ToolDraft unmetered() {
        metered = false;
        return this;
    }

    /** Lets REST requests carry a file of this type instead of this field. */
    public ToolDraft upload(String field, String mediaType, Route.Passing passing) {
        upload = new Route.Upload(field, mediaType, passing);
        return this;
    }

    /** Lets REST requests with {@code part=file} receive the file of the thing that the tool reads. */
    public ToolDraft hasFile() {
        hasFile = true;
        return this;
    }

    /**
     * Lets REST send all pages as one file: {@code content} as JSON lines, or {@code parts} as their {@code media_type}. The handler
     * returns one page, and {@code next_cursor}.
     */
    public ToolDraft hasLines() {
        hasLines = true;
        return this;
    }

    /** Sets what the audit entry of a call names as its subject. By default the family decides. */
    public ToolDraft audits(Audited value) {
        audited = value;
        return this;
    }

    /** Refuses every {@code target.user} but the caller's own, since it is not who is addressed. */
    public ToolDraft onlySelf() {
        onlySelf = true;
        return this;
    }

    /** Sets the value of this field in the tool's example. */
    public ToolDraft example(String field, String value) {
        examples.put(field, value);
        return this;
    }

    /** Leaves this field, which the examples of similar tools have, out of the tool's example. */
    public ToolDraft exampleWithout(String field) {
        omitted.add(field);
        return this;
    }

    public <I extends Record, O extends Record> Tool<I, O> handledBy(
            Class<I> input, Class<O> output, Tool.Handler<I, O> handler) {
        return handledBy(input, output, new Work.OnePhase<>(handler));
    }

    /** Completes a tool whose response is completed after the commit. */
    public <I extends Record, O extends Record> Tool<I, O> completedBy(
            Class<I> input, Class<O> output, Tool.Handler<I, O> handler, Work.Sequel<I> sequel) {
        return handledBy(input, output, new Work.Continued<>(handler, sequel));
    }

    /** Completes a tool that calls other servers: {@code outside} before the transaction, {@code inside} in it. */
    public <I extends Record, M, O extends Record> Tool<I, O> handledBy(
            Class<I> input, Class<O> output, Tool.Handler<I, M> outside, Work.Finish<I, M, O> inside) {
        return handledBy(input, output, new Work.TwoPhase<>(outside, inside));
    }

    private <I extends Record, O extends Record> Tool<I, O> handledBy(
            Class<I> input, Class<O> output, Work<I, O> work) {
        return new Tool<>(
                name,
                new Tool.Texts(
                        Objects.requireNonNull(title, name),
                        Objects.requireNonNull(description, name),
                        new Guide(details, phrases, tellsContext, shortener, hints, page),
                        new Example.OwnFields(examples, omitted)),
                new Tool.Policy(
                        Objects.requireNonNull(capability, name),
                        requirements,
                        effect,
                        leastRole != null ? leastRole : effect.writes() ? Role.MEMBER : Role.VIEWER,
                        idempotent || effect.reads(),
                        metered,
                        onlySelf,
                        audited == null ? Family.ofTool(name).audited() : audited),
                new Tool.Contract<>(
                        further.stream()
                                .reduce(route == null ? Family.ofTool(name).alias(name) : route, Route::and),
                        input,
                        Schema.ofInput(input, effect.isTransactional()),
                        output,
                        Envelope.schema(output),
                        Envelope.secretFields(output),
                        wholeTexts || !effect.isTransactional(),
                        upload,
                        hasFile,
                        hasLines),
                new Tool.Execution<>(work, isLong, isHeavy, null, null, null),
                null);
    }
}
