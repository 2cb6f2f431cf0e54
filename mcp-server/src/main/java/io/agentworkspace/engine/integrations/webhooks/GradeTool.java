package io.agentworkspace.engine.integrations.webhooks;

import io.agentworkspace.engine.integrations.webhooks.sender.Grader;
import io.agentworkspace.engine.integrations.webhooks.sender.Grader.Trial;
import io.agentworkspace.engine.integrations.webhooks.sender.Signature;
import io.agentworkspace.engine.kernel.outbound.OutboundUrl;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.security.SecureRandom;
import java.util.List;
import java.util.Objects;

/** Tests whether a receiver verifies its deliveries: WH_Grade. */
final class GradeTool {
    private final SecureRandom random = new SecureRandom();
    private final ReceiverStore receivers;
    private final ReceiverServices outbound;

    public GradeTool(ReceiverStore receivers, ReceiverServices outbound) {
        this.receivers = receivers;
        this.outbound = outbound;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(grade());
    }

    record Graded(
            @Doc("The percentage of trials that it passed.") int score,

            @Doc("Each request and its response.") List<Trial> trials) {}

    private Tool<ReceiverTools.ReceiverRequest, Graded> grade() {
        return Tool.named("WH_Grade")
                .title("Grade a webhook receiver")
                .description("""
                        Checks the receiver behind an endpoint with signed test requests, for admins. Returns a score.""")
                .details("""
                        A correct receiver accepts signed webhook.test events with a 2xx (valid, repeated, signed with \
                        two secrets). It refuses others with 400 (wrong signature, no signature, an old secret, \
                        changed, too old, from the future). It takes up to a minute. These are no deliveries: nothing \
                        is retried or counted.""")
                .alsoCalled(
                        "check a receiver for mistakes",
                        "does our endpoint verify signatures",
                        "quality of a webhook handler",
                        "verify my signature check",
                        "audit the receiver",
                        "does my server validate signatures",
                        "test security of the hook")
                .needs(Capability.WEBHOOK_WRITE)
                .atLeast(Role.ADMIN)
                .effect(Effect.CHANGES)
                .takesLong()
                .route("POST", "/api/webhooks/endpoints/{id}/grade")
                .handledBy(ReceiverTools.ReceiverRequest.class, Graded.class, this::graded, (_, graded, _) -> graded);
    }

    private Graded graded(ReceiverTools.ReceiverRequest in, Call call) {
        var keyring = receivers.keyring(call, in.id());
        var url = OutboundUrl.parse(keyring.url(), outbound.allowPrivate());
        var other = Objects.requireNonNullElseGet(keyring.outdated(), () -> Signature.newSecret(random));
        var receiver = new Grader.Receiver(url, keyring.secret(), other);
        var trials = outbound.probes().grade(call.caller().tenant(), receiver, call.progress());
        var passed = trials.stream().filter(Trial::ok).count();
        return new Graded(Math.toIntExact(passed * 100 / trials.size()), trials);
    }
}
