/** Words for who may do what: roles, capabilities, permissions, requirements. */
@NullMarked
package io.agentworkspace.engine.model.access;

import org.jspecify.annotations.NullMarked;
