package io.agentworkspace.engine.calls.runner;

import io.agentworkspace.engine.kernel.db.Precondition;
import io.agentworkspace.engine.kernel.secrets.SealedCursors;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.EmailAddress;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Caller;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Envelope;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner.Request;
import io.agentworkspace.engine.model.tool.Work;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * A request after all checks that need no database.
 *
 * @param tool the tool to run, or its read-only form
 * @param fields the arguments that the tool defines
 * @param input the same arguments as the tool's record
 * @param key the idempotency key, if there is one
 */
record Run<I extends Record, O extends Record>(
        Tool<I, O> tool,
        Request request,
        Call call,
        ObjectNode fields,
        I input,
        @Nullable String key) {
    private static final String WAIT = "wait_seconds";
    private static final Pattern HARMFUL = Pattern.compile("_(Delete|Destroy|Ban|Kick|Censor)$");

    /**
     * @param named the tool that the request names
     * @param tool what runs with its arguments
     * @throws Problem if the caller may not run the tool, or the arguments are invalid
     */
    static <I extends Record, O extends Record> Run<I, O> of(
            Tool<?, ?> named, Tool<I, O> tool, Call call, Request request, SealedCursors cursors) {
        request.caller().obstacle(named, request.arguments()).ifPresent(note -> {
            throw Problem.notPermitted(note);
        });
        var fields = tool.inputSchema().read(request.arguments(), isStrict(tool, request));
        var key = key(tool, fields, request.idempotencyKey());
        if (SealedCursors.isIn(fields)) {
            cursors.open(SealedCursors.question(named.name(), request.caller(), fields), fields);
        }
        var user = user(tool, request.arguments());
        call.runIn(Context.named(fields), actingFor(tool, request.caller(), user));
        call.hasIdempotencyKey(key != null);
        call.progress(request.progress());
        call.source(request.source());
        call.budget(request.budget().forCall());
        call.readOnly(
                request.readOnly() || request.caller().credential().toolset().readOnly());
        return new Run<>(tool, request, call, fields, Json.bind(fields, tool.input()), key);
    }

    /** Returns {@code target.user}, which every tool accepts; blank if it is not sent. */
    private static String user(Tool<?, ?> tool, ObjectNode arguments) {
        var field = "target.user";
        if (tool.effect() == Effect.DESTROYS
                && arguments.path("target").has("user")
                && !Schema.isSent(arguments, field)) {
            throw Problem.blank(List.of(field)); // It would narrow what is destroyed to what that user may destroy.
        }
        return Schema.isSent(arguments, field)
                ? arguments.path("target").path("user").asString("")
                : "";
    }

    /** What destroys or hides something never ignores a field: it could be what was meant to limit the damage. */
    static boolean isStrict(Tool<?, ?> tool, Request request) {
        return request.strict()
                || (tool.effect() == Effect.DESTROYS
                                || HARMFUL.matcher(tool.name()).find())
                        && tool.inputSchema().unknown(request.arguments()).stream()
                                .anyMatch(path -> !path.equals("target.user"));
    }

    /**
     * Returns the user to act for; null for the caller's own user, and if {@code target.user} is the subject of the tool.
     */
    private static @Nullable UserHandle actingFor(Tool<?, ?> tool, Caller caller, String user) {
        if (user.isBlank() || caller.isNamed(user)) {
            return null;
        }
        if (tool.onlySelf() && !EmailAddress.isMeant(user)) {
            throw otherUser(caller);
        }
        var isAbout = tool.findRequirement(Requirement.OfUser.class)
                .filter(Requirement.OfUser::isAboutUser)
                .isPresent();
        // Only the database knows e-mail addresses. It finds the caller by the caller's own, and refuses others.
        if (isAbout || !EmailAddress.isMeant(user)) {
            caller.obstacleToOthers().ifPresent(note -> {
                throw Problem.notPermitted(note);
            });
        }
        var handle = UserHandle.checked("target.user", user);
        return isAbout ? null : handle;
    }

    /** Returns the refusal of a user who is not the caller, where {@code target.user} may look like an addressee. */
    private static Problem otherUser(Caller caller) {
        return Problem.invalid(
                "target.user",
                "addresses nobody and must be your own user name, '%s': leave it out, and send to a user with to_user: their name, or true for your agent's owner"
                        .formatted(caller.userName()));
    }

    /**
     * Clears all that the handler recorded, since it may run again.
     *
     * @return whether it runs for the first time
     */
    void begin() {
        call.budget(request.budget().forCall());
        call.begin();
    }

    /** Checks the acting user of a tool that acts only for the caller, once it is known. */
    void checkSelf() {
        var context = call.contextIfKnown();
        if (tool.onlySelf()
                && context != null
                && context.user().id() != call.caller().user()) {
            throw otherUser(call.caller());
        }
    }

    private static @Nullable String key(Tool<?, ?> tool, ObjectNode fields, @Nullable String sentKey) {
        var header = sentKey == null || sentKey.isBlank() ? null : sentKey.strip();
        var field = fields.path(Schema.IDEMPOTENCY_KEY).asString("");
        fields.remove(Schema.IDEMPOTENCY_KEY);
        if (!tool.effect().isTransactional()) {
            return null;
        }
        if (header != null && header.length() > 255) {
            throw Problem.invalid("the header Idempotency-Key", "must have 1–255 characters");
        }
        if (header != null && !field.isBlank() && !header.equals(field)) {
            throw Problem.invalid("idempotency_key", "differs from the header Idempotency-Key: send one of them");
        }
        return header != null ? header : field.isBlank() ? null : field;
    }

    /** How long a call waits after its commit is no part of what it does: a repeated call may wait otherwise. */
    byte[] hash() {
        var actingFor = call.actingFor() == null ? "" : call.actingFor().key();
        var what = tool.work() instanceof Work.Continued ? fields.deepCopy().without(WAIT) : fields;
        return Sha256.of(tool.name() + "\n" + actingFor + "\n" + Json.canonical(what));
    }

    /** Runs the handler and returns its response, whose size the request's budget limits. */
    ObjectNode handledBy(Tool.Handler<I, O> handler) {
        var output = handler.handle(input, call);
        call.requireAllChecked();
        Precondition.complete(); // Of the context, of which the response is a part.
        var envelope = Envelope.success(call, output);
        if (!tool.wholeTexts()) {
            Envelope.cutTexts(envelope);
        }
        request.budget().check(envelope);
        return envelope;
    }

    /** Completes the response after the commit, if the tool does that. */
    void complete(ObjectNode envelope) {
        if (tool.work() instanceof Work.Continued<I, O> continued) {
            continued.sequel().complete(input, envelope, call);
        }
    }
}
