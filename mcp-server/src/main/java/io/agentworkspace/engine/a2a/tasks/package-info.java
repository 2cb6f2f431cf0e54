/** The tasks of A2A: a task is a question to an agent, with everything that answers it. They are read and changed by the engine's tools. */
@NullMarked
package io.agentworkspace.engine.a2a.tasks;

import org.jspecify.annotations.NullMarked;
