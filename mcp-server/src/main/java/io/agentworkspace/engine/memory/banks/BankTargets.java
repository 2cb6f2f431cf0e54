package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.schema.Doc;
import org.jspecify.annotations.Nullable;

/** The targets of the bank commands. No context contains a bank, so most commands require one. */
final class BankTargets {
    static final String BANK = "The bank's name.";

    private BankTargets() {}

    record Just(
            @Doc(BANK) Name bank,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Prefix(
            @Doc("Start of the name.") @Nullable Name bank,

            @Doc("Your agent whose banks to list. Default: self.") @Nullable
            Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record AuthorTarget(
            @Doc(BANK) Name bank,
            @Doc("Only what this agent stored.") @Nullable Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record ActorTarget(
            @Doc(BANK) Name bank,

            @Doc("The author. Default: self, else you.") @Nullable
            Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record HolderTarget(
            @Doc(BANK) Name bank,
            @Doc("Only this agent.") @Nullable Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record ShareTarget(
            @Doc(BANK) Name bank,

            @Doc("Only what this agent wrote.") @Nullable Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Create(
            @Doc(value = Targets.USER, mayBeBlank = true) @Nullable
            UserHandle user,

            @Doc(value = "Your agent that manages it. Default: self.", mayBeBlank = true) @Nullable
            Name agent,

            @Doc(value = "The name, unless vx.name gives it.", mayBeBlank = true) @Nullable
            Name bank,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Load(
            @Doc(value = Targets.USER, mayBeBlank = true) @Nullable
            UserHandle user,

            @Doc(value = "Your agent. Default: self.", mayBeBlank = true) @Nullable
            Name agent,

            @Doc(value = "Only to load a document into it.", mayBeBlank = true) @Nullable
            Name bank,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Unload(
            @Doc(value = Targets.USER, mayBeBlank = true) @Nullable
            UserHandle user,

            @Doc("Your agent. Default: self.") @Nullable Name agent,

            @Doc(value = "The bank, unless vx.name gives it.", mayBeBlank = true) @Nullable
            Name bank,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}
}
