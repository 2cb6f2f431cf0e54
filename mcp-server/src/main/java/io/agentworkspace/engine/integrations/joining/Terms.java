package io.agentworkspace.engine.integrations.joining;

import io.agentworkspace.engine.integrations.joining.Invitation.BankShare;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an invitation gives to the agent that joins with it.
 *
 * @param parent the agent that it is a sub-agent of
 */
record Terms(
        @Nullable String parent,
        @Nullable String description,
        List<BankShare> banks,
        List<String> domains,
        Collection<String> capabilities,
        List<String> toolset) {}
