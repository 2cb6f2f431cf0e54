package io.agentworkspace.engine.integrations.upstreams;

import io.agentworkspace.engine.integrations.upstreams.UpstreamStore.Usable;
import io.agentworkspace.engine.integrations.upstreams.client.Target;
import io.agentworkspace.engine.kernel.scheduling.StepAllowance;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.ForeignTool;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.node.ObjectNode;

/**
 * What is approved of a server besides its tools: resources, templates of resources, and prompts. Reading a resource is a call like
 * that of a tool, so that access, rules, limits and audit apply to it; such calls are in no list.
 */
public final class InstalledContent {
    private static final String READ = "resources/read";
    private static final String GET = "prompts/get";
    private static final String COMPLETE = "completion/complete";

    /** How many steps it may take to compare a URI with all templates: about a tenth of a second. */
    private static final long MOST_STEPS = 10_000_000;

    private final String upstream;
    private final List<Entry> entries;
    private final Map<String, Tool<?, ?>> calls;

    /** Something that is approved, as lists show it. */
    private record Entry(Usable usable, ObjectNode listing, UriTemplate template) {
        boolean is(OfferKind kind, String item) {
            return usable.kind() == kind && usable.item().equals(item);
        }
    }

    /** @param usable what is approved of this server, without its tools */
    InstalledContent(Target target, List<Usable> usable, UpstreamCalls calls) {
        this.upstream = target.name();
        this.entries = usable.stream()
                .map(one -> new Entry(one, one.definition().listing(upstream, one.name()), new UriTemplate(one.item())))
                .toList();
        this.calls = Map.of(
                READ, new UpstreamRequest(target, READ, "uri").tool(calls, this),
                GET, new UpstreamRequest(target, GET, "name").tool(calls, this),
                COMPLETE, new UpstreamRequest(target, COMPLETE, "ref").tool(calls, this));
    }

    public String upstream() {
        return upstream;
    }

    List<Tool<?, ?>> calls() {
        return List.copyOf(calls.values());
    }

    /** Returns whether the caller may use what this server offers. */
    public boolean isFor(Caller caller) {
        return calls.values().stream().allMatch(caller::may);
    }

    public List<ObjectNode> resources() {
        return listings(OfferKind.RESOURCE);
    }

    public List<ObjectNode> templates() {
        return listings(OfferKind.TEMPLATE);
    }

    public List<ObjectNode> prompts() {
        return listings(OfferKind.PROMPT);
    }

    private List<ObjectNode> listings(OfferKind kind) {
        return entries.stream()
                .filter(entry -> entry.usable().kind() == kind)
                .map(entry -> entry.listing().deepCopy())
                .toList();
    }

    /** A call to make instead of what a client asked for. */
    public record Meant(String service, ObjectNode arguments) {}

    /** Returns the call that reads a resource, by its URI here. */
    public Optional<Meant> reading(String uri) {
        return original(uri).filter(this::isReadable).map(original -> reads(original));
    }

    /** Returns the call that reads a resource by the URI that its server gives it, as answers of tools contain. */
    public Optional<Meant> readingOriginal(String uri) {
        return Optional.of(uri).filter(this::isReadable).map(original -> reads(original));
    }

    private Meant reads(String original) {
        return new Meant(name(READ), Json.object().put("uri", original));
    }

    private Optional<String> original(String uri) {
        return Stream.of("", "ui://")
                .map(scheme -> List.of(ForeignUri.here(upstream, scheme), scheme))
                .filter(pair -> uri.startsWith(pair.getFirst()))
                .map(pair -> pair.getLast() + uri.substring(pair.getFirst().length()))
                .filter(original -> ForeignUri.here(upstream, original).equals(uri))
                .findFirst();
    }

    boolean isReadable(String original) {
        var allowance = new StepAllowance(
                MOST_STEPS, () -> Problem.invalid("uri", "takes too long to compare with the templates of its server"));
        return entries.stream()
                .anyMatch(entry -> entry.is(OfferKind.RESOURCE, original)
                        || entry.usable().kind() == OfferKind.TEMPLATE
                                && entry.template().matches(original, allowance));
    }

    /** Returns the call that gets a prompt, by its name here. */
    public Optional<Meant> getting(String prompt, ObjectNode arguments) {
        return named(OfferKind.PROMPT, prompt).map(entry -> {
            var params = Json.object().put("name", entry.usable().item());
            params.set("arguments", arguments);
            return new Meant(name(GET), params);
        });
    }

    /** Returns the call that completes an argument of a prompt. */
    public Optional<Meant> completingPrompt(String prompt, ObjectNode argument, ObjectNode context) {
        return named(OfferKind.PROMPT, prompt)
                .map(entry -> completing(
                        Json.object()
                                .put("type", "ref/prompt")
                                .put("name", entry.usable().item()),
                        argument,
                        context));
    }

    /** Returns the call that completes a variable of a template. */
    public Optional<Meant> completingTemplate(String template, ObjectNode argument, ObjectNode context) {
        return named(OfferKind.TEMPLATE, template)
                .map(entry -> completing(
                        Json.object()
                                .put("type", "ref/resource")
                                .put("uri", entry.usable().item()),
                        argument,
                        context));
    }

    private Meant completing(ObjectNode ref, ObjectNode argument, ObjectNode context) {
        var params = Json.object();
        params.set("ref", ref);
        params.set("argument", argument);
        params.set("context", context);
        return new Meant(name(COMPLETE), params);
    }

    private Optional<Entry> named(OfferKind kind, String name) {
        return entries.stream()
                .filter(entry ->
                        entry.usable().kind() == kind && entry.usable().name().equals(name))
                .findFirst();
    }

    private String name(String method) {
        return ForeignTool.request(upstream, method);
    }

    /** @throws Problem {@code not_found} if what a request is about is not approved */
    void check(String method, ObjectNode params) {
        var ref = params.path("ref");
        var item = switch (method) {
            case READ -> params.path("uri").asString("");
            case GET -> params.path("name").asString("");
            default -> ref.path("uri").asString(ref.path("name").asString(""));
        };
        var isThere = switch (method) {
            case READ -> isReadable(item);
            case GET -> has(OfferKind.PROMPT, item);
            default -> has(ref.has("uri") ? OfferKind.TEMPLATE : OfferKind.PROMPT, item);
        };
        if (!isThere) {
            throw Problem.notFound(method.equals(GET) ? "prompt" : "resource", Name.shortened(item), List.of());
        }
    }

    private boolean has(OfferKind kind, String item) {
        return entries.stream().anyMatch(entry -> entry.is(kind, item));
    }

    /** Returns what a server answered, with its URIs as they are here. */
    public ObjectNode rewritten(ObjectNode result) {
        var rewritten = result.deepCopy();
        for (var content : rewritten.path("contents")) {
            if (content instanceof ObjectNode part && part.path("uri").isString()) {
                part.put("uri", ForeignUri.here(upstream, part.path("uri").asString()));
            }
        }
        return rewritten;
    }
}
