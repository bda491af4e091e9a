BEGIN { this->t = (kthread_t *)arg0; trace(sizeof (void *)); trace(this->t->t_tid); trace(curthread->t_procp->p_user.u_comm); }
