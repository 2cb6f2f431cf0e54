package io.agentworkspace.engine.tools;

import io.agentworkspace.engine.identity.KeyFormat;
import io.agentworkspace.engine.model.Audited;
import io.agentworkspace.engine.model.Call;
import io.agentworkspace.engine.model.EmailAddress;
import io.agentworkspace.engine.model.Excerpt;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Tool;
import io.agentworkspace.engine.model.ToolRunner;
import io.agentworkspace.engine.model.UserHandle;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Creates the audit entry of a call. */
final class Auditing {
    private static final int MAX_GIVEN = 400;

    private Auditing() {}

    static Audited done(Tool<?, ?> tool, ToolRunner.Request request, Call call, ObjectNode answer) {
        return entry(request, call, Subject.of(tool, request.arguments(), call, answer), Audited.DONE);
    }

    static Audited refused(Tool<?, ?> tool, ToolRunner.Request request, Call call, Problem problem) {
        var subject = Subject.asked(tool, request.arguments(), call);
        return entry(request, call, subject, problem.failure().commandError());
    }

    private static Audited entry(ToolRunner.Request request, Call call, Subject subject, String result) {
        var caller = call.caller();
        var acting = call.acting();
        var whence = request.whence();
        return new Audited(
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
                whence.door(),
                whence.address(),
                whence.client(),
                result,
                call.requestId(),
                null);
    }

    /** The commands on users name their subject in target.user. */
    private static @Nullable String actedFor(ToolRunner.Request request, Call call, Subject subject, String result) {
        if (subject.kind().equals("user")) {
            return null;
        }
        var actingFor = call.actingFor();
        if (actingFor != null || result.equals(Audited.DONE)) {
            return actingFor == null ? null : actedFor(call, actingFor);
        }
        var asked = plain(request.arguments().at("/target/user").asString(""));
        return asked.isEmpty() || Name.key(asked).equals(Name.key(call.caller().userName())) ? null : asked;
    }

    /** By name if the user was found: the audit contains no addresses. */
    private static String actedFor(Call call, UserHandle asked) {
        return call.contextIfKnown() == null
                ? plain(asked.text())
                : call.loadedContext().user().name();
    }

    /** The user that an unauthorised caller asked to act for: it may be any text. */
    private static String plain(String text) {
        var given = Excerpt.cut(text, MAX_GIVEN);
        var line = KeyFormat.masked(given.replaceAll("[\\p{Cntrl}\\p{Cs}\\p{Cf}\\s]+", " "))
                .strip();
        return Excerpt.cut(EmailAddress.isMeant(line) ? "an e-mail address" : line, Name.MAX);
    }
}
