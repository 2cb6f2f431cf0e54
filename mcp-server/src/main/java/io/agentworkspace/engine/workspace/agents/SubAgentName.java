package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;

/** The name of a sub-agent: that of its parent, a slash, and its own. */
public final class SubAgentName {
    private SubAgentName() {}

    /** @throws Problem {@code invalid_field} if it is too long */
    public static Name of(String parent, Name own) {
        return Name.mentioned("vx.name", parent + "/" + own.text());
    }

    static String parent(String whole) {
        return whole.substring(0, whole.indexOf('/'));
    }

    /** Returns whether it is the name of a sub-agent. */
    public static boolean is(Name name) {
        return name.text().contains("/");
    }

    /** Returns its own part of a whole name; a name without a parent's is its own part. */
    public static String own(Name name) {
        return name.text().substring(name.text().indexOf('/') + 1);
    }
}
