package io.agentworkspace.engine.calls.runner;

import io.agentworkspace.engine.calls.why.AuditSubject;
import io.agentworkspace.engine.identity.audit.AuditEntry;
import io.agentworkspace.engine.identity.credentials.KeyFormat;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.EmailAddress;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.tool.Audited;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.ToolRunner;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Creates the audit entry of a call. */
final class AuditEntries {
    private static final int MAX_GIVEN = 400;

    private static final Pattern INVISIBLE = Pattern.compile("[\\p{Cntrl}\\p{Cs}\\p{Cf}\\s]+");

    private AuditEntries() {}

    static AuditEntry done(ToolRunner.Request request, Call call, ObjectNode answer) {
        return entry(
                request,
                call,
                AuditSubject.of(call.tool(), request.arguments(), call, answer),
                AuditEntry.DONE,
                answer,
                null);
    }

    static AuditEntry refused(ToolRunner.Request request, Call call, Problem problem) {
        var subject = AuditSubject.ofRequest(call.tool(), request.arguments(), call);
        return entry(request, call, subject, problem.failure().commandError(), Json.object(), problem.note());
    }

    private static AuditEntry entry(
            ToolRunner.Request request,
            Call call,
            AuditSubject subject,
            String result,
            ObjectNode answer,
            @Nullable String note) {
        var caller = call.caller();
        var acting = call.acting();
        var source = request.source();
        var isDone = result.equals(AuditEntry.DONE);
        var revision = isDone ? call.revision() : null;
        return new AuditEntry(
                call.now(),
                caller.userName(),
                actedFor(request, call, subject, result),
                caller.principal().split(":", 2)[0],
                caller.credential().key(),
                null,
                acting == null ? null : acting.name(),
                call.service(),
                subject.kind(),
                subject.name(),
                subject.id(),
                subject.renamedTo(),
                subject.member(),
                source.endpoint(),
                source.address(),
                source.client(),
                result,
                call.requestId(),
                null,
                call.rules().isEmpty() ? null : call.rules(),
                revision == null ? null : revision.before(),
                revision == null ? null : revision.after(),
                isDone && call.isDryRun() ? true : null,
                isDone ? call.details() : null,
                note == null ? null : AuditNote.of(note, request.arguments(), subject),
                AuditNote.arguments(request.arguments()),
                isDone ? item(call, answer) : null);
    }

    /** Returns the id of the message that the call wrote, or of the one memory that it is about. */
    private static @Nullable String item(Call call, ObjectNode answer) {
        if (call.item() != null) {
            return call.item().toString();
        }
        var id = call.tool().audited() == Audited.MESSAGE ? answer.at("/content/0/id") : answer.at("/memory/id");
        return id.isString() ? id.asString() : null;
    }

    /** Returns the user whom the call acted for. Tools that are about a user name that user in target.user. */
    private static @Nullable String actedFor(
            ToolRunner.Request request, Call call, AuditSubject subject, String result) {
        if (subject.kind().equals("user")) {
            return null;
        }
        var actingFor = call.actingFor();
        if (actingFor != null || result.equals(AuditEntry.DONE)) {
            return actingFor == null ? null : actedFor(call, actingFor);
        }
        var user = plain(request.arguments().at("/target/user").asString(""));
        return user.isEmpty() || Name.key(user).equals(Name.key(call.caller().userName())) ? null : user;
    }

    /** Returns the user's name if the user was found: the audit contains no e-mail addresses. */
    private static String actedFor(Call call, UserHandle user) {
        return call.contextIfKnown() == null
                ? plain(user.text())
                : call.loadedContext().user().name();
    }

    /** Returns the user that an unauthorised caller named, which can be any text. */
    private static String plain(String text) {
        var excerpt = Excerpt.cut(text, MAX_GIVEN);
        var line = KeyFormat.masked(INVISIBLE.matcher(excerpt).replaceAll(" ")).strip();
        return Excerpt.cut(EmailAddress.isMeant(line) ? "an e-mail address" : line, Name.MAX);
    }
}
