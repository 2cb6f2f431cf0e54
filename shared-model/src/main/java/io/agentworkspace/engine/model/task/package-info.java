/** The records of tasks and of reservations of paths. */
@NullMarked
package io.agentworkspace.engine.model.task;

import org.jspecify.annotations.NullMarked;
