/** Roles, capabilities, permissions, and what a tool can require: {@code Requirement}. */
@NullMarked
package io.agentworkspace.engine.model.access;

import org.jspecify.annotations.NullMarked;
