package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.context.Targets;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.schema.Doc;
import org.jspecify.annotations.Nullable;

/** The targets of the bank commands: no context holds a bank, so most of them need one. */
final class BankTargets {
    static final String BANK = "The memory bank's name.";

    private BankTargets() {}

    record Just(
            @Doc(BANK) Name bank,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Prefix(
            @Doc("Only banks whose names start with this.") @Nullable
            Name bank,

            @Doc("Your own agent, whose banks to list; self when left out, else your own as the user.") @Nullable
            Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Author(
            @Doc(BANK) Name bank,
            @Doc("Only what this agent stored.") @Nullable Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Actor(
            @Doc(BANK) Name bank,

            @Doc("Your own agent that stores it; self when left out, else you as the user.") @Nullable
            Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Holder(
            @Doc(BANK) Name bank,
            @Doc("Only this agent.") @Nullable Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Share(
            @Doc(BANK + " Always needed, never taken from the context.")
            Name bank,

            @Doc("Whose share of the bank; the whole bank when left out. Never taken from the context.") @Nullable
            Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Create(
            @Doc(Targets.USER) @Nullable UserHandle user,

            @Doc("Your own agent that shall manage the bank; self when left out.") @Nullable
            Name agent,

            @Doc("The new bank's name, unless vx.name gives it.") @Nullable
            Name bank,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Load(
            @Doc(Targets.USER) @Nullable UserHandle user,

            @Doc("Your own agent to attach the bank to; self when left out.") @Nullable
            Name agent,

            @Doc("The bank to load a document into; left out to attach a bank to an agent.") @Nullable
            Name bank,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Unload(
            @Doc(Targets.USER) @Nullable UserHandle user,

            @Doc("Your own agent to detach the bank from; self when left out.") @Nullable
            Name agent,

            @Doc("The bank to detach, unless vx.name gives it.") @Nullable
            Name bank,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}
}
