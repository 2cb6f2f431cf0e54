/** The records of users. */
@NullMarked
package io.agentworkspace.engine.model.user;

import org.jspecify.annotations.NullMarked;
