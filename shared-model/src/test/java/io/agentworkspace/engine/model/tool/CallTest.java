package io.agentworkspace.engine.model.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.plan.Scope;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class CallTest {
    record Nothing() {}

    @Test
    void aRepeatedAttemptBeginsWithNothing() {
        var tool = Tool.named("AP_Echo")
                .title("Echo")
                .description("Says it again.")
                .needs(Capability.AGENT_READ)
                .effect(Effect.MOVES)
                .handledBy(Nothing.class, Nothing.class, (in, _) -> in);
        var caller = new Caller(1, "t", 2, "ann", Role.OWNER, Set.of("*"), "key:a", null);
        var call = new Call(caller, tool, "r", Instant.EPOCH);
        call.begin();
        var ref = new Context.Ref(2, "ann");
        call.load(new Context(Context.DEFAULT, ref, null, null, null, null, 0));
        call.acting(ref);
        call.about(new Call.About("Ada", null));
        call.revised(new Call.TextChange("a", "b"));
        call.details("details");
        call.changed(Change.access());
        call.created(Scope.AGENTS, 1);
        call.queue();
        call.dryRun();
        call.whenRefused(() -> fail("this attempt was repeated"));

        call.begin();
        assertThat(call.contextIfKnown()).isNull();
        assertThatThrownBy(call::loadedContext).isInstanceOf(IllegalStateException.class);
        assertThat(call.acting()).isNull();
        assertThat(call.about()).isNull();
        assertThat(call.revision()).isNull();
        assertThat(call.details()).isNull();
        assertThat(call.changes()).isEqualTo(List.of());
        assertThat(call.isAnnounced()).isFalse();
        assertThat(call.created()).isEmpty();
        assertThat(call.concernsOutbox()).isFalse();
        assertThat(call.isDryRun()).isFalse();
        call.refused();
    }
}
