/** Users' own accounts at upstream servers, as the REST facade knows them. */
@NullMarked
package io.agentworkspace.engine.model.accounts;

import org.jspecify.annotations.NullMarked;
