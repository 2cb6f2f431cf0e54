package io.agentworkspace.engine.tools;

import io.agentworkspace.engine.model.Audited;
import io.agentworkspace.engine.model.Call;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Tool;
import io.agentworkspace.engine.model.ToolRunner;
import tools.jackson.databind.node.ObjectNode;

/** Makes of a call what the audit says of it. */
final class Auditing {
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
        // The commands on users name in target.user whom they are about.
        var acted = subject.kind().equals("user") || call.actingFor() == null ? null : call.actingFor();
        return new Audited(
                call.now(),
                caller.userName(),
                acted == null ? null : acted.text(),
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
                call.requestId());
    }
}
