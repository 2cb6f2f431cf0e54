package io.agentworkspace.engine.identity.users;

import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Allowance;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tool that reads a user: US_Read. */
final class UserTools {
    private final UserQueries users;
    private final Allowance.Meter meter;

    public UserTools(UserQueries users, Allowance.Meter meter) {
        this.users = users;
        this.meter = meter;
    }

    public List<Tool<?, ?>> tools() {
        return List.of(read());
    }

    record ReadRequest(@Doc("On whose behalf.") Targets.@Nullable UserOnly target) {}

    record Me(
            @Doc("The user's name.") String user,
            @Doc("viewer, member, admin or owner.") Role role,

            @Doc("What your credential may do; * means all.")
            List<String> capabilities,

            @Doc("Your tenant; you never see anything of another.")
            String tenant,

            @Doc("The tenant's plan.") String plan,

            @Doc("What is left of your limits; empty without limits.")
            List<Allowance> limits,

            @Doc("The agent that you are logged on as.") @Nullable
            String self,

            @Doc("The server's time.") Instant serverTime) {}

    record ReadResponse(
            @Doc("Who you are, as one record.") List<Me> profile,
            @Doc("Always empty.") List<Me> content) {}

    private Tool<ReadRequest, ReadResponse> read() {
        return Tool.named("US_Read")
                .title("Who am I")
                .description("""
                        Returns who you are: user, role, capabilities, plan, limits left, selected context. A good \
                        first call.""")
                .details("It also returns the tenant and the server's time. It changes nothing.")
                .alsoCalled(
                        "what can i do here",
                        "what is selected at the moment",
                        "am i logged on",
                        "whoami",
                        "my identity",
                        "my permissions",
                        "what can i do",
                        "my account",
                        "current context",
                        "quota left",
                        "am i connected")
                .tellsContext()
                .hints(Guide.Hint.ALWAYS_LOAD)
                .needs(Capability.USER_READ)
                .unmetered()
                .handledBy(ReadRequest.class, ReadResponse.class, (in, call) -> {
                    var found = users.read(call);
                    var self = call.context().self();
                    var me = new Me(
                            call.context().user().name(),
                            found.role(),
                            call.caller().capabilities().stream().sorted().toList(),
                            call.caller().tenantName(),
                            found.plan(),
                            meter.left(call.caller()),
                            self == null ? null : self.name(),
                            call.now());
                    return new ReadResponse(List.of(me), List.of());
                });
    }
}
