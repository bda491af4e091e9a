/*
 * Processors: cpuinfo_t, which probes of the sched provider have among their
 * args[], and the inlines curcpu, cpu, pset, chip and lgrp, which tell of the
 * processor that runs the current thread.
 */
typedef struct cpuinfo {
	processorid_t cpu_id;
	psetid_t cpu_pset;
	chipid_t cpu_chip;
	lgrp_id_t cpu_lgrp;
	processor_info_t cpu_info;
} cpuinfo_t;

translator cpuinfo_t < cpu_t *processor > {
	cpu_info = processor->cpu_type_info;
	cpu_lgrp = processor->cpu_lpl->lpl_lgrpid;
	cpu_chip = processor->cpu_physid->cpu_chipid;
	cpu_pset = processor->cpu_part->cp_id;
	cpu_id = processor->cpu_id;
};

/* A queue of threads that belongs to no processor has -1 for each number, and no cpu_info. */
translator cpuinfo_t < disp_t *queue > {
	cpu_lgrp = queue->disp_cpu ? xlate <cpuinfo_t *> (queue->disp_cpu)->cpu_lgrp : -1;
	cpu_chip = queue->disp_cpu ? xlate <cpuinfo_t *> (queue->disp_cpu)->cpu_chip : -1;
	cpu_pset = queue->disp_cpu ? xlate <cpuinfo_t *> (queue->disp_cpu)->cpu_pset : -1;
	cpu_id = queue->disp_cpu ? xlate <cpuinfo_t *> (queue->disp_cpu)->cpu_id : -1;
};

#pragma D attributes Stable/Stable/Common cpu
inline processorid_t cpu = curthread->t_cpu->cpu_id;

#pragma D attributes Stable/Stable/Common curcpu
inline cpuinfo_t *curcpu = xlate <cpuinfo_t *> (curthread->t_cpu);

#pragma D attributes Stable/Stable/Common lgrp
inline lgrp_id_t lgrp = xlate <cpuinfo_t *> (curthread->t_cpu)->cpu_lgrp;

#pragma D attributes Stable/Stable/Common chip
inline chipid_t chip = xlate <cpuinfo_t *> (curthread->t_cpu)->cpu_chip;

#pragma D attributes Stable/Stable/Common pset
inline psetid_t pset = xlate <cpuinfo_t *> (curthread->t_cpu)->cpu_pset;
